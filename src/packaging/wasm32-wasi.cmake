# WebAssembly with the system interface WASI, with Debian's clang, lld, wasi-libc and libclang-rt-dev-wasm32. Programs run under node.
set(CMAKE_SYSTEM_NAME Generic) # no threads, no shared libraries
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-14)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar-14)
set(CMAKE_RANLIB llvm-ranlib-14)
# Every engine that has simd128 has these. Of thread-local variables (errno) there is one of each.
set(CMAKE_C_FLAGS_INIT "-mbulk-memory -mnontrapping-fptoint -msign-ext -ftls-model=local-exec")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-z,stack-size=1048576 -Wl,--stack-first")
set(CMAKE_EXECUTABLE_SUFFIX_C .wasm)
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/wasm32-wasi-run.mjs)
# stb_ds is the host's: a header with nothing of any system in it.
set(CMAKE_INCLUDE_PATH /usr/include/stb)
