# How a test is built and run; CMakeLists.txt lists them.

# Seconds that a test may take. What is sanitized is slower, and an emulated processor by far.
set(patience 300)
set(patience_of_examples 900)
if(ABUT_SANITIZE)
    set(patience 900)
endif()
if(CMAKE_CROSSCOMPILING_EMULATOR)
    set(patience 5400)
    set(patience_of_examples 5400)
endif()
list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)

# The double-precision referees that tests judge by, in space and in 2D.
add_library(referee STATIC referee_answer.c referee_check.c referee_cover.c referee_contact.c referee_patch.c referee_solid.c referee_world.c)
add_library(referee_2d STATIC referee_2d.c)
foreach(library referee referee_2d)
    target_include_directories(${library} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${library} PRIVATE abut_flags PUBLIC m)
endforeach()

# All worlds of all tests on as many threads as the environment says.
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
    add_library(threaded_worlds OBJECT threaded_worlds.c)
    target_include_directories(threaded_worlds PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_include_directories(threaded_worlds SYSTEM PRIVATE ${STB_INCLUDE_DIR})
    target_link_libraries(threaded_worlds PRIVATE abut_static abut_flags)
endif()

# The path of a program as a test's source has it in quotes.
function(abut_program_path program out)
    set(${out} "${emulator} $<TARGET_FILE:${program}>" PARENT_SCOPE)
endfunction()

# abut_test(name [keywords]): a cmocka program test_name.c, one test of ctest. Tests may look inside the library.
#   REFEREE, REFEREE_2D  it asks the one in space, the one in 2D
#   SCENES, PEERS        it links the benchmark's scenes, its other engines
#   SOURCES file…        further sources
#   PROGRAM name…        it runs these: each path is a macro by the program's name in capitals. Without one of them
#                        there is no test.
#   PROGRAMS name…       it runs those of these that there are: PROGRAMS is their paths, a '|' behind each
#   SLOW                 is begun first, so that no single one is left at the end while other processors idle
#   PLAIN_LOOPS          gcc 12 for 64-bit ARM breaks down while it vectorises this one's sums
function(abut_test name)
    cmake_parse_arguments(PARSE_ARGV 1 with "REFEREE;REFEREE_2D;SCENES;PEERS;SLOW;PLAIN_LOOPS" "" "SOURCES;PROGRAM;PROGRAMS")
    if(with_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "abut_test(${name}): ${with_UNPARSED_ARGUMENTS} is no keyword")
    endif()
    foreach(program ${with_PROGRAM})
        if(NOT TARGET ${program})
            return()
        endif()
    endforeach()
    set(target test_${name})
    add_executable(${target} test_${name}.c ${with_SOURCES})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/bench
        ${PROJECT_SOURCE_DIR}/examples)
    target_include_directories(${target} SYSTEM PRIVATE ${STB_INCLUDE_DIR})
    target_link_libraries(${target} PRIVATE $<$<BOOL:${with_REFEREE}>:referee> $<$<BOOL:${with_REFEREE_2D}>:referee_2d>
        $<$<BOOL:${with_PEERS}>:abut_peers> $<$<BOOL:${with_SCENES}>:abut_scenes> abut_static abut_flags PkgConfig::CMOCKA m)
    target_compile_definitions(${target} PRIVATE ABUT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" $<$<BOOL:${ABUT_INVARIANTS}>:AB_CHECKED>)
    if(TARGET threaded_worlds)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:threaded_worlds>)
        target_link_options(${target} PRIVATE LINKER:--wrap=abut_world_create)
    endif()
    foreach(program ${with_PROGRAM})
        string(MAKE_C_IDENTIFIER ${program} macro)
        string(TOUPPER ${macro} macro)
        abut_program_path(${program} path)
        target_compile_definitions(${target} PRIVATE ${macro}="${path}")
        add_dependencies(${target} ${program})
    endforeach()
    set(paths)
    foreach(program ${with_PROGRAMS})
        if(TARGET ${program})
            abut_program_path(${program} path)
            string(APPEND paths "${path}|")
            add_dependencies(${target} ${program})
        endif()
    endforeach()
    if(paths)
        target_compile_definitions(${target} PRIVATE PROGRAMS="${paths}")
    endif()
    if(with_PLAIN_LOOPS AND CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
        target_compile_options(${target} PRIVATE -fno-tree-vectorize)
    endif()
    add_test(NAME ${name} COMMAND ${target})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${patience})
    if(with_SLOW)
        set_tests_properties(${name} PROPERTIES COST 1000)
    endif()
endfunction()

# abut_example(name [keywords]): runs an example, where it is built, as the test example_name.
#   PROGRAM name  the program, where that is not the test's own name
#   ARGS word…    what it is given; files that it reads are named from the root, files that it writes from where tests run
#   SAYS regex    what it must print, instead of exiting with zero
#   SLOW          as above
function(abut_example name)
    cmake_parse_arguments(PARSE_ARGV 1 with "SLOW" "PROGRAM;SAYS" "ARGS")
    set(program ${name})
    if(with_PROGRAM)
        set(program ${with_PROGRAM})
    endif()
    if(NOT TARGET ${program})
        return()
    endif()
    add_test(NAME example_${name} COMMAND ${program} ${with_ARGS})
    set_tests_properties(example_${name} PROPERTIES TIMEOUT ${patience_of_examples})
    if(with_SAYS)
        set_tests_properties(example_${name} PROPERTIES PASS_REGULAR_EXPRESSION "${with_SAYS}")
    endif()
    if(with_SLOW)
        set_tests_properties(example_${name} PROPERTIES COST 1000)
    endif()
endfunction()

# Replays inputs kept from fuzzing, and some made up. With ABUT_FUZZ (clang only) the same file is a libFuzzer target.
function(abut_fuzz)
    add_executable(fuzz_replay fuzz_world.c fuzz_calls.c fuzz_replay.c)
    add_test(NAME fuzz_corpus COMMAND fuzz_replay 300 ${CMAKE_CURRENT_SOURCE_DIR}/corpus)
    add_executable(fuzz_replay_images fuzz_image.c fuzz_calls.c fuzz_replay.c)
    add_test(NAME fuzz_images COMMAND fuzz_replay_images 3000 ${CMAKE_CURRENT_SOURCE_DIR}/corpus_images)
    add_executable(fuzz_replay_cook fuzz_cook.c fuzz_calls.c fuzz_replay.c)
    add_test(NAME fuzz_cook COMMAND fuzz_replay_cook 3000)
    foreach(name fuzz_replay fuzz_replay_images fuzz_replay_cook)
        target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
        target_link_libraries(${name} PRIVATE abut_static abut_flags m)
    endforeach()
    if(ABUT_FUZZ)
        foreach(name fuzz_world fuzz_image fuzz_cook)
            add_executable(${name} ${name}.c fuzz_calls.c)
            target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
            target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
            target_link_options(${name} PRIVATE -fsanitize=fuzzer)
            target_link_libraries(${name} PRIVATE abut_static abut_flags)
        endforeach()
    endif()
endfunction()
