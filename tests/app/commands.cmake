# The command line: its parts one by one, then the real binary.
tessera_library(commands_test_support
    SOURCES "${CMAKE_CURRENT_LIST_DIR}/commands_support.cpp"
    LINKS Qt6::Core Qt6::Test)
target_compile_definitions(commands_test_support PUBLIC TESSERA_EXECUTABLE="$<TARGET_FILE:tessera>")
add_dependencies(commands_test_support tessera)

tessera_test(memory_need_test SOURCES memory_need_test.cpp LINKS tessera_commands LABELS app)
tessera_test(thin_alpha_test SOURCES thin_alpha_test.cpp LINKS tessera_commands LABELS app)
foreach(part values names plan verification)
    tessera_test(commands_${part}_test SOURCES commands_${part}_test.cpp LINKS tessera_commands LABELS app)
endforeach()
tessera_test(commands_stages_test SOURCES commands_stages_test.cpp LINKS tessera_commands commands_test_support
    LABELS app)
file(GLOB command_line_tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/commands_*_cli_test.cpp")
foreach(source ${command_line_tests})
    cmake_path(GET source STEM name)
    tessera_test(${name} SOURCES ${source} LINKS commands_test_support LABELS app)
endforeach()

# A stand-in for the window's module, to see what the program does with one.
add_library(commands_window_stub MODULE commands_window_stub.cpp)
target_link_libraries(commands_window_stub PRIVATE tessera_warnings)
target_compile_definitions(commands_window_cli_test PRIVATE TESSERA_WINDOW_STUB="$<TARGET_FILE:commands_window_stub>")
add_dependencies(commands_window_cli_test commands_window_stub)

# Real photographs and random pictures against SciPy. 77 tells ctest that SciPy is not there, with the reason in its log.
if(TESSERA_TEST_PYTHON)
    add_test(NAME scipy_check
        COMMAND ${TESSERA_TEST_PYTHON} "${CMAKE_CURRENT_LIST_DIR}/scipy_check.py" "$<TARGET_FILE:tessera>")
    set_tests_properties(scipy_check PROPERTIES LABELS app TIMEOUT 1800 SKIP_RETURN_CODE 77)
endif()
