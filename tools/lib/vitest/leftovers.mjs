// Vitest `globalSetup`: when the run ends or is killed, ends all processes that specs started. Virtual machines and
// network daemons outlive the server that started them, and a killed spec cannot stop them.
import { randomUUID } from 'node:crypto'
import { spawn } from 'node:child_process'
import process from 'node:process'

/** Environment variable that marks all processes in a run with the run's ID. */
const RUN_VARIABLE = 'MAINSTAY_ENDS_WITH'

/** Waits for its input to end, then ends all marked processes. Stopped processes require CONT to handle TERM. */
const script = `
ofRun() { grep -lszxF "$1" /proc/[0-9]*/environ | tr -dc '0-9\\n'; }
cat >/dev/null
for signal in TERM CONT; do for pid in $(ofRun "$1"); do kill -$signal "$pid"; done; done 2>/dev/null
for wait in 1 1 1 1 1 0; do [ -n "$(ofRun "$1")" ] && sleep $wait; done
for again in 1 2 3 4 5 6 7 8 9; do for pid in $(ofRun "$1"); do kill -KILL "$pid"; done; done 2>/dev/null`

/** Marks all processes that are started from now on, and starts a watcher that ends them when this process exits. */
export default function setup() {
  const mark = randomUUID()
  const watcher = spawn('sh', ['-c', script, 'sh', `${RUN_VARIABLE}=${mark}`], {
    ...{ detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' },
  })
  watcher.once('error', () => undefined)
  watcher.unref()
  // the pipe must not keep this process alive
  const pipe = /** @type {import('node:net').Socket} */ (watcher.stdin)
  pipe.unref()
  process.env[RUN_VARIABLE] = mark
}
