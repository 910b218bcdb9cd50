# The contract suite runs twice: over the engines of every machine, and over CUDA devices alone, so that the second can
# run under compute-sanitizer and is skipped aloud where there is no device.
tessera_library(engine_test_support
    SOURCES "${CMAKE_CURRENT_LIST_DIR}/engine_test_support.cpp"
    LINKS tessera_engines)
tessera_test(engine_contract_test
    SOURCES engine_contract_test.cpp
    LINKS engine_test_support tessera_engines
    LABELS app sim)
tessera_test(engine_contract_gpu_test
    SOURCES engine_contract_test.cpp
    LINKS engine_test_support tessera_engines
    LABELS gpu)
target_compile_definitions(engine_contract_gpu_test PRIVATE TESSERA_TEST_CUDA_ONLY)
tessera_test(engine_reach_test SOURCES engine_reach_test.cpp LINKS engine_test_support tessera_engines LABELS app)
tessera_test(engine_values_test
    SOURCES engine_values_test.cpp
    LINKS engine_test_support tessera_engines
    LABELS app sim)
tessera_test(engine_values_gpu_test
    SOURCES engine_values_test.cpp
    LINKS engine_test_support tessera_engines
    LABELS gpu)
target_compile_definitions(engine_values_gpu_test PRIVATE TESSERA_TEST_CUDA_ONLY)
tessera_library(engine_cpu_support
    SOURCES "${CMAKE_CURRENT_LIST_DIR}/engine_cpu_support.cpp"
    LINKS engine_test_support)
tessera_test(engine_cpu_test SOURCES engine_cpu_test.cpp LINKS engine_cpu_support LABELS app)
tessera_test(engine_cpu_plan_test SOURCES engine_cpu_plan_test.cpp LINKS engine_cpu_support LABELS app)
tessera_test(engine_advice_test SOURCES engine_advice_test.cpp LINKS tessera_engines LABELS app)
tessera_test(engine_registry_test SOURCES engine_registry_test.cpp LINKS tessera_engines LABELS app)
tessera_test(engine_source_window_test
    SOURCES engine_source_window_test.cpp
    LINKS engine_test_support tessera_engines
    LABELS app)
tessera_test(engine_device_bands_test
    SOURCES engine_device_bands_test.cpp
    LINKS engine_test_support tessera_engines
    LABELS app)
tessera_test(engine_device_bands_gpu_test
    SOURCES engine_device_bands_test.cpp
    LINKS engine_test_support tessera_engines
    LABELS gpu)
target_compile_definitions(engine_device_bands_gpu_test PRIVATE TESSERA_TEST_CUDA_ONLY)
tessera_test(engine_thread_pool_test SOURCES engine_thread_pool_test.cpp LINKS tessera_core LABELS app)
tessera_test(pipeline_test SOURCES pipeline_test.cpp LINKS tessera_session LABELS app)
tessera_test(pipeline_range_test SOURCES pipeline_range_test.cpp LINKS tessera_session LABELS app)
tessera_test(pipeline_run_test SOURCES pipeline_run_test.cpp LINKS tessera_session LABELS app)
tessera_test(pipeline_counts_test SOURCES pipeline_counts_test.cpp LINKS tessera_session LABELS app)
# Built with the tests so that it never rots, run by hand: see tests/bench/cpu-notes.md.
if(TESSERA_HAS_OPENCV)
    add_executable(cpu_bench "${CMAKE_CURRENT_LIST_DIR}/../bench/cpu_bench.cpp")
    target_link_libraries(cpu_bench PRIVATE tessera_engines tessera_stats opencv_core opencv_imgproc tessera_warnings)
    # The peak is measured with the widest vectors of the machine that builds it.
    set_source_files_properties("${CMAKE_CURRENT_LIST_DIR}/../bench/cpu_bench.cpp" PROPERTIES
        COMPILE_OPTIONS "-O3;-march=native;-Wno-psabi")
endif()
