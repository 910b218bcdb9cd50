# One function a kind of target, so that every room is built with the same warnings and the same include root.

add_library(tessera_warnings INTERFACE)
target_compile_options(tessera_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns at -O3 of overlaps and overflows in the standard library that cannot happen (its bug 105651 and kin).
    target_compile_options(tessera_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow> $<$<COMPILE_LANGUAGE:CXX>:-Wno-free-nonheap-object>)
endif()
if(TESSERA_WERROR)
    target_compile_options(tessera_warnings INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-Werror>
        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>)
endif()

# tessera_library(NAME SOURCES ... [LINKS ...] [PRIVATE_LINKS ...]): a static library of one room. Includes are written
# from the project's root ("gpu/image/border.h"). LINKS are what the room may see: the directions of the house.
function(tessera_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
    if(ARG_SOURCES)
        add_library(${name} STATIC ${ARG_SOURCES})
        target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}")
        target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS} tessera_warnings)
    else()
        add_library(${name} INTERFACE)
        target_include_directories(${name} INTERFACE "${CMAKE_SOURCE_DIR}")
        target_link_libraries(${name} INTERFACE ${ARG_LINKS})
    endif()
endfunction()

# tessera_test(NAME SOURCES ... LINKS ... LABELS ... [TIMEOUT s]): a Qt Test executable, run by ctest without a display.
function(tessera_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINKS;LABELS" ${ARGN})
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 300)
    endif()
    add_executable(${name} ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    target_link_libraries(${name} PRIVATE ${ARG_LINKS} Qt6::Test tessera_warnings)
    target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}")
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8"
        SKIP_REGULAR_EXPRESSION "skipped: no CUDA device")
endfunction()

function(tessera_print_summary)
    message(STATUS "Tessera ${PROJECT_VERSION} (${CMAKE_BUILD_TYPE})")
    foreach(feature UI OPENCV CUDA)
        message(STATUS "  ${feature}: ${TESSERA_HAS_${feature}}")
    endforeach()
    if(TESSERA_HAS_CUDA)
        message(STATUS "  CUDA architectures: ${CMAKE_CUDA_ARCHITECTURES}")
    endif()
endfunction()
