import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Shell functions for a script that replaces ssh. `frame CHANNEL PAYLOAD` prints a frame; `hello` is the first message
 * of a bridge; `asked` waits until the next program is started; `whoami USER UID` answers the first program; `$address`
 * is the address of the host.
 */
const parts = `#!/bin/sh
frame() { printf '%d\\n%s\\n%s' $((\${#1} + 1 + \${#2})) "$1" "$2"; }
hello() { frame '' '{"command":"init","version":1}'; }
asked() { while read -r line; do case $line in *spawn*) return ;; esac; done; }
ended() { frame '' "{\\"command\\":\\"close\\",\\"channel\\":\\"$1\\",\\"exit-status\\":0}"; }
whoami() { asked; frame c1 "far
$1
$2
$3"; ended c1; }
while [ "$1" != -- ]; do shift; done
address=$2
`

export interface FakeSsh {
  /** Path of the script. */
  ssh: string
  remove(): Promise<void>
}

/** Writes a shell script that replaces ssh and the bridge. */
export async function fakeSsh(script: string): Promise<FakeSsh> {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-fake-ssh-'))
  const ssh = join(folder, 'ssh')
  await writeFile(ssh, `${parts}${script}\n`)
  await chmod(ssh, 0o755)
  return { ssh, remove: () => rm(folder, { recursive: true, force: true }) }
}
