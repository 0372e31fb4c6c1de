// For vitest's `globalSetup`: what specs started ends with the run, also with one that is killed. Machines, and the programs that
// serve their networks, go on without the server that started them, and a spec that is killed ends none of them.
import { randomUUID } from 'node:crypto'
import { spawn } from 'node:child_process'
import process from 'node:process'

/** In the environment of all that a run starts: with which run it ends. */
const RUN_VARIABLE = 'MAINSTAY_ENDS_WITH'

/** Waits for the end of its input. One that stands still by a signal hears no other one before it goes on. */
const script = `
ofRun() { grep -lszxF "$1" /proc/[0-9]*/environ | tr -dc '0-9\\n'; }
cat >/dev/null
for signal in TERM CONT; do for pid in $(ofRun "$1"); do kill -$signal "$pid"; done; done 2>/dev/null
for wait in 1 1 1 1 1 0; do [ -n "$(ofRun "$1")" ] && sleep $wait; done
for again in 1 2 3 4 5 6 7 8 9; do for pid in $(ofRun "$1"); do kill -KILL "$pid"; done; done 2>/dev/null`

/** Marks all that this process starts from now on, and has it ended when this process is gone. */
export default function setup() {
  const mark = randomUUID()
  const watcher = spawn('sh', ['-c', script, 'sh', `${RUN_VARIABLE}=${mark}`], {
    ...{ detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' },
  })
  watcher.once('error', () => undefined)
  watcher.unref()
  // the pipe keeps nobody alive
  const pipe = /** @type {import('node:net').Socket} */ (watcher.stdin)
  pipe.unref()
  process.env[RUN_VARIABLE] = mark
}
