"""BenchExec tool-info module of Epitome.

    PYTHONPATH=scripts python3 -m benchexec.test_tool_info bxtools.epitome --tool-directory target/release --no-container
"""

import re

import benchexec.result as result
from benchexec.tools.template import BaseTool2, UnsupportedFeatureException


class Tool(BaseTool2):
    """Epitome prints its verdict last: `Verdict: TRUE`, `Verdict: FALSE(unreach-call)`, `Verdict: UNKNOWN(reason)`."""

    # Names of statistics stand in so many characters.
    NAME_WIDTH = 19
    VERDICT = re.compile(r"^Verdict: (TRUE|FALSE|UNKNOWN)(?:\((.*)\))?\s*$")

    def executable(self, tool_locator):
        return tool_locator.find_executable("epitome")

    def name(self):
        return "Epitome"

    def project_url(self):
        return None

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="epitome")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", task.single_input_file]
        # Tasks that `bench --export` wrote have their question, which may be the default one, in their options.
        question = task.options.get("question") if isinstance(task.options, dict) else None
        if question is not None:
            command += question
        elif task.property_file:
            command += ["--property", task.property_file]
        model = self._data_model(task)
        if model:
            command += ["--data-model", model]
        # Orderly answers shortly before BenchExec would end the run. Our limit is wall time, and as many engines run at
        # a time as there are cores: they may use up the processor time so many times as fast.
        threads = rlimits.cpu_cores or 1
        if any(option.startswith("--engine") for option in options):
            threads = 1
        elif not any(option.startswith("--threads") for option in options):
            command += ["--threads", str(threads)]
        seconds = [limit for limit in (rlimits.cputime and rlimits.cputime / threads, rlimits.walltime) if limit]
        if seconds and not any(option.startswith("--timeout") for option in options):
            command += ["--timeout", f"{max(1, int(min(seconds) - max(1, min(seconds) / 20)))}s"]
        if rlimits.memory and not any(option.startswith("--memory") for option in options):
            command += ["--memory", f"{rlimits.memory // 10 * 9}"]
        return command + list(options)

    @staticmethod
    def _data_model(task):
        if not isinstance(task.options, dict) or "question" in task.options:
            return None
        if task.options.get("language", "C") != "C":
            raise UnsupportedFeatureException("only tasks in C are supported")
        model = task.options.get("data_model")
        if model not in (None, "ILP32", "LP64"):
            raise UnsupportedFeatureException(f"data model {model} is not supported")
        return model

    def determine_result(self, run):
        for line in reversed(run.output):
            found = self.VERDICT.match(line)
            if not found:
                continue
            verdict, detail = found.groups()
            if verdict == "TRUE":
                return result.RESULT_TRUE_PROP
            if verdict == "FALSE":
                return f"{result.RESULT_FALSE_PROP}({detail})" if detail else result.RESULT_FALSE_PROP
            if detail == "timeout":
                return "TIMEOUT"
            if detail == "memory":
                return "OUT OF MEMORY"
            return f"{result.RESULT_UNKNOWN} ({detail})" if detail else result.RESULT_UNKNOWN
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """Statistics (`--stats`) stand one in a line, name before value: `queries            606`."""
        for line in reversed(list(output)):
            if line[: self.NAME_WIDTH].strip() == identifier:
                return line[self.NAME_WIDTH :].strip()
        return None
