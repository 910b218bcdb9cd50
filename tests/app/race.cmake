foreach(part gate crossover report run)
    tessera_test(race_${part}_test SOURCES race_${part}_test.cpp LINKS tessera_race LABELS app)
endforeach()
target_link_libraries(race_report_test PRIVATE nlohmann_json::nlohmann_json)
