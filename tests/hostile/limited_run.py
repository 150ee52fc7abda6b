"""limited_run.py: runs a command in a session of its own, for a limited time."""
import os
import signal
import subprocess


def run(words, directory, limit, environment):
    """Output, errors and status as subprocess has it; None if the limit was exceeded."""
    with subprocess.Popen(words, cwd=directory, env=dict(os.environ, **environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None
    return output, errors, process.returncode
