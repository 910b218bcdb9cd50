// tessera variants: every implementation of the convolution, and where it runs.
#include "app/commands/command.h"
#include "app/commands/json_output.h"
#include "app/commands/table.h"
#include "app/commands/variant_list.h"
#include "app/filters/nearest_name.h"

namespace tessera {

namespace {

class VariantsCommand : public Command {
public:
    std::string_view name() const override { return "variants"; }
    std::string_view summary() const override { return "list the implementations and where each runs"; }

    CommandSyntax syntax() override {
        CommandSyntax syntax;
        syntax.description = "Lists every implementation of the convolution, the devices here that run it, and for the "
                             "others the reason why none does.";
        syntax.examples = {{"tessera variants", "what there is"},
                           {"tessera variants --json | jq '.variants[] | select(.available) | .name'",
                            "the names of those that run here"}};
        syntax.notes = "Choose one with --variant NAME; --variant auto, the default, takes the fastest that meets the "
                       "precision asked for and says which: float32's, or one level of integer pictures with "
                       "auto:precision=level. On a GPU it goes by measured speeds, which 'tessera bench' renews.";
        return syntax;
    }

    ExitCode run(Console &console) override {
        const std::vector<VariantEntry> variants = listVariants();
        if (console.options.json)
            printAsJson(variants);
        else
            printAsTable(variants);
        return ExitCode::Done;
    }

private:
    static void printAsJson(const std::vector<VariantEntry> &variants) {
        Json object;
        object["variants"] = Json::array();
        for (const VariantEntry &variant : variants) {
            Json entry;
            entry["name"] = variant.name;
            entry["title"] = variant.title;
            entry["description"] = variant.description;
            entry["available"] = variant.available();
            entry["devices"] = variant.devices;
            entry["reason"] = variant.available() ? Json(nullptr) : Json(variant.reason);
            object["variants"].push_back(std::move(entry));
        }
        printJson(object);
    }

    static void printAsTable(const std::vector<VariantEntry> &variants) {
        TextTable table({{"VARIANT"}, {"RUNS ON"}, {"WHAT IT IS"}});
        for (const VariantEntry &variant : variants)
            table.addRow({variant.name, variant.available() ? joinNames(variant.devices) : "-",
                          variant.available() ? variant.title + ": " + variant.description
                                              : variant.title + ": " + variant.reason});
        print(table.text());
    }
};

} // namespace

std::unique_ptr<Command> makeVariantsCommand() { return std::make_unique<VariantsCommand>(); }

} // namespace tessera
