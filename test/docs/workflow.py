"""Runs the job of a GitHub Actions workflow here: its conditions, its `run:` steps as they stand, and of its actions what a project needs of them.

Only what the workflow of docs/check.md uses is known; anything else is an error, so that nothing is passed over.
"""

import dataclasses
import pathlib
import re
import subprocess

import yaml

# Steps that install the tool. They don't run: what they leave is put there instead.
INSTALL = ("Install packages", "Build cuprewrite")
# Each action's inputs; those that it needs first.
ACTIONS = {
    "actions/checkout": ((), ("repository", "path")),
    "actions/cache/restore": (("path", "key"), ()),
    "actions/cache/save": (("path", "key"), ()),
    "github/codeql-action/upload-sarif": (("sarif_file",), ("category",)),
    "actions/upload-artifact": (("path",), ("name",)),
}
# As Actions calls it for `shell: bash`.
SHELL = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail"]
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class BadWorkflow(Exception):
    pass


def read(page):
    """The workflow of a page: its only block of YAML. All scalars are strings, as `on` has to be."""
    found = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    if len(found) != 1:
        raise BadWorkflow(f"{len(found)} blocks of YAML")
    return yaml.load(found[0], Loader=yaml.BaseLoader)


def need(condition, what):
    if not condition:
        raise BadWorkflow(what)


def action_of(step):
    return step["uses"].partition("@")[0] if "uses" in step else None


def look_at(workflow):
    """Its shape. Returns the job."""
    need(set(workflow) == {"name", "on", "permissions", "jobs"}, f"keys {sorted(workflow)}")
    need("pull_request" in workflow["on"], "does not run on pull requests")
    need(workflow["permissions"] == {"actions": "read", "contents": "read", "security-events": "write"}, "permissions")
    need(len(workflow["jobs"]) == 1, "jobs")
    (job,) = workflow["jobs"].values()
    need(set(job) == {"runs-on", "container", "defaults", "steps"}, f"keys of the job {sorted(job)}")
    need(re.fullmatch(r"ubuntu-\d\d\.\d\d", job["runs-on"]), "runs-on")
    need(job["defaults"] == {"run": {"shell": "bash"}}, "a container's shell is sh unless it is said")
    ids = [step["id"] for step in job["steps"] if "id" in step]
    need(len(ids) == len(set(ids)), "an id stands twice")
    for step in job["steps"]:
        need(set(step) <= {"name", "id", "if", "run", "uses", "with"} and ("run" in step) != ("uses" in step), f"keys of a step {sorted(step)}")
        if "run" in step:
            need("name" in step and "with" not in step, f"{step['run']}: no name, or inputs")
            continue
        need(re.fullmatch(r"[\w.-]+(/[\w.-]+)+@v\d+", step["uses"]) and action_of(step) in ACTIONS, f"uses {step['uses']}")
        needed, others = ACTIONS[action_of(step)]
        given = step.get("with", {})
        need(set(needed) <= set(given) <= {*needed, *others}, f"{step['uses']} with {sorted(given)}")
        need(all(given.values()), f"{step['uses']}: an input is empty")
    return job


@dataclasses.dataclass
class Result:
    step: dict
    outcome: str  # "success", "failure", "skipped"
    status: int = 0
    output: str = ""
    file: str = None  # what an action took, as it was then


class Run:
    """One run of the job, in a checkout."""

    def __init__(self, job, checkout, home, tools):
        self.checkout, self.results, self.outputs, self.paths = pathlib.Path(checkout), [], {}, []
        self.environment = {"HOME": str(home), "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(checkout), "GITHUB_PATH": str(home / "path"),
                            "RUNNER_TEMP": str(home), **tools.environment}
        for step in job["steps"]:
            if self.holds(step.get("if", "success()")):
                result = self.act(step, tools) if "uses" in step else self.shell(step, tools)
            else:
                result = Result(step, "skipped")
            self.results.append(result)

    @property
    def succeeded(self):
        return all(result.outcome != "failure" for result in self.results)

    def of(self, name):
        """The result of the step of that name, id or action."""
        found = [result for result in self.results if name in (result.step.get("name"), result.step.get("id"), action_of(result.step))]
        if len(found) != 1:
            raise BadWorkflow(f"{len(found)} steps {name}")
        return found[0]

    def holds(self, condition):
        condition = condition.strip()
        if whole := re.fullmatch(r"\$\{\{(.*)\}\}", condition, re.DOTALL):
            condition = whole[1]
        return bool(self.value(condition if re.search(r"\b(success|failure|always|cancelled)\(", condition) else f"success() && ({condition})"))

    def value(self, expression):
        words, rest = [], expression
        while rest := rest.lstrip():
            word = re.match(r"'(?:[^']|'')*'|&&|\|\||[!=]=|[!()]|(?:success|failure|always|cancelled)\(\)|steps\.[\w-]+\.(?:outcome|outputs\.[\w-]+)", rest)
            need(word, f"'{expression}': what is '{rest}'?")
            rest = rest[word.end():]
            words.append(self.python(word[0]))
        return eval(" ".join(words), {"__builtins__": {}})  # nothing but the words above

    def python(self, word):
        if word in ("&&", "||", "!"):
            return {"&&": "and", "||": "or", "!": "not"}[word]
        if word.startswith("steps."):
            _, name, *of = word.split(".")
            result = next((result for result in self.results if result.step.get("id") == name), None)
            need(result, f"no step {name} so far")
            return repr(result.outcome if of == ["outcome"] else self.outputs.get((name, of[1]), ""))
        if word.endswith("()"):
            return repr({"success()": self.succeeded, "failure()": not self.succeeded, "always()": True, "cancelled()": False}[word])
        return repr(word[1:-1].replace("''", "'")) if word.startswith("'") else word

    def shell(self, step, tools):
        need("${{" not in step["run"], f"{step['name']}: expressions in commands are not known here")
        script = pathlib.Path(self.environment["HOME"]) / "step.sh"
        script.write_text(step["run"])
        if step["name"] in INSTALL:
            read_only = subprocess.run([*SHELL, "-n", script], capture_output=True, text=True)
            need(read_only.returncode == 0, f"{step['name']}: {read_only.stderr}")
            if step["name"] == INSTALL[-1]:
                tools.put_into(self.checkout)
            return Result(step, "success")
        pathlib.Path(self.environment["GITHUB_PATH"]).write_text("")
        done = subprocess.run([*SHELL, script], cwd=self.checkout, env={**self.environment, "PATH": ":".join([*reversed(self.paths), PATH])}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        self.paths += pathlib.Path(self.environment["GITHUB_PATH"]).read_text().split()
        return Result(step, "failure" if done.returncode else "success", done.returncode, done.stdout)

    def act(self, step, _tools):
        inputs = step.get("with", {})
        if step.get("id"):  # outputs that are used
            self.outputs[(step["id"], "commit")] = "0" * 40
        taken = {"github/codeql-action/upload-sarif": "sarif_file", "actions/upload-artifact": "path"}.get(action_of(step))
        if not taken:
            return Result(step, "success")
        file = self.checkout / inputs[taken]
        if not file.is_file() or not file.stat().st_size:
            return Result(step, "failure", output=f"there is no {inputs[taken]}")
        return Result(step, "success", file=file.read_bytes())
