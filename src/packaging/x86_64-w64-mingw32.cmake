# 64-bit Windows, with Debian's mingw-w64.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
# stb_ds is the host's: a header with nothing of any system in it.
set(CMAKE_INCLUDE_PATH /usr/include/stb)
