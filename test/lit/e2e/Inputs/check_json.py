"""Whether what 'check --json' prints is as docs/check.schema.json says."""
import json
import pathlib
import sys

import jsonschema

schema = json.loads((pathlib.Path(__file__).parents[4] / "docs/check.schema.json").read_text())
report = json.loads(pathlib.Path(sys.argv[1]).read_text())
jsonschema.validate(report, schema)
assert schema["$defs"]["rule"]["enum"] == report["checked"], "the schema has other rules"
assert [rule["id"] for rule in report["rules"]] == report["checked"], "rules without a meaning"
store = report["faults"][0]["accesses"][0]
assert (store["expression"], store["expression_column"]) == ("tile[threadIdx.x]", 3), "the words stand elsewhere"
assert [fault["rule"] for fault in report["faults"]] == ["race-warps", "leak"]
