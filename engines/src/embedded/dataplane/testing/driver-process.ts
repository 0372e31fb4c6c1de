import { fork, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { findProgram } from '../../../host/programs'
import { tier } from '../../../../../tools/lib/tier.mjs'

/*
 * For specs: runs a part of the server in a separate process, as root or as an ordinary user. The process receives
 * calls as messages and can be killed.
 */

export const isRoot = process.getuid?.() === 0

/** Networks are tested as an ordinary user and, except in the `gate` tier, also as root. */
export const modes = [{ rootless: true }, ...(tier === 'gate' ? [] : [{ rootless: false }])]

/** A user ID that no account on the system uses. */
const ordinary = 61_234

/**
 * Gives all users access to `/dev/net/tun`, as on most systems. If only root has access, mounts a separate device node.
 */
const withCards = `case $(stat -c %a /dev/net/tun) in
*[67]) ;;
*) mount -t tmpfs tun /dev/net && mknod -m 666 /dev/net/tun c 10 200;;
esac
exec "$@"`

/**
 * Returns the prefix for running a command as an ordinary user. Empty if the specs do not run as root or `isOrdinary`
 * is false.
 */
export const asOrdinary = (isOrdinary: boolean, user = ordinary) =>
  isOrdinary && isRoot
    ? [
        ...[findProgram('unshare') ?? '', '--mount', '--propagation', 'private', '--', 'sh', '-c', withCards, 'sh'],
        ...['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--'],
      ]
    : []

/** Creates a temporary folder, owned by the ordinary user if `rootless`. */
export function folderOf(name: string, rootless: boolean): string {
  const folder = mkdtempSync(join(tmpdir(), name))
  giveTo(folder, rootless)
  watchers.set(folder, removedAfterUs(folder))
  return folder
}
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  watchers.get(folder)?.stdin!.end()
  watchers.delete(folder)
}

const watchers = new Map<string, ChildProcess>()
/**
 * Removes a folder when this process exits, even if it is killed. This also ends a capsule in the folder. The watcher
 * waits for its standard input to be closed; nothing is written to it.
 */
function removedAfterUs(folder: string): ChildProcess {
  const watcher = spawn('sh', ['-c', 'read -r _; rm -rf "$1"', 'sh', folder], {
    ...{ detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' },
  })
  watcher.unref()
  ;(watcher.stdin as Socket).unref()
  return watcher
}
export function giveTo(path: string, rootless: boolean): void {
  if (rootless && isRoot) chownSync(path, ordinary, ordinary)
}

const built = new Map<string, Promise<string>>()

/** Bundles a driver next to this file into one file that every user may read. */
function driver(name: string): Promise<string> {
  const known = built.get(name)
  if (known) return known
  const making = (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mainstay-driver-'))
    chmodSync(folder, 0o755)
    const outfile = join(folder, 'driver.mjs')
    await build({
      ...{ entryPoints: [join(import.meta.dirname, `${name}.ts`)], outfile, bundle: true },
      ...{ platform: 'node', format: 'esm', target: 'node20', logLevel: 'error' },
      // the bundle locates the image-file driver relative to this URL
      define: {
        'import.meta.url': JSON.stringify(
          pathToFileURL(join(import.meta.dirname, '../../../image-files/driver.ts')).href,
        ),
      },
    })
    chmodSync(outfile, 0o644)
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    return outfile
  })()
  built.set(name, making)
  return making
}

export interface DriverProcess<Calls> {
  calls: Calls
  /** Kills the process and starts another one. */
  restart(): Promise<void>
  end(): Promise<void>
}

/** Starts the driver `name` for a folder; `before` is a command prefix. */
export async function startDriver<Calls extends object>(
  name: string,
  folder: string,
  before: readonly string[],
): Promise<DriverProcess<Calls>> {
  const program = await driver(name)
  let child: ChildProcess
  let last = 0
  const open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()

  function start(): void {
    const [file, ...words] = [...before, process.execPath]
    child = fork(program, [folder], {
      ...{ execPath: file, execArgv: words, serialization: 'advanced', cwd: '/' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child.on('message', ({ id, value, error }: { id: number; value?: unknown; error?: { message: string } }) => {
      const call = open.get(id)
      open.delete(id)
      if (error) call?.reject(new Error(error.message))
      else call?.resolve(value)
    })
    child.on('exit', () => {
      for (const { reject } of open.values()) reject(new Error('The process has ended'))
      open.clear()
    })
  }
  start()

  const call = (name: string, args: unknown[]): Promise<never> =>
    new Promise((resolve, reject) => {
      const id = ++last
      open.set(id, { resolve: resolve as (value: unknown) => void, reject })
      child.send({ id, call: name, args }, (error) => {
        // the process was killed, and its successor is not running yet
        if (error && open.delete(id)) reject(new Error('The process has ended'))
      })
    })
  const gone = () => new Promise((done) => child.once('exit', done))

  return {
    calls: new Proxy({} as Calls, {
      get:
        (_, name: string) =>
        (...args: unknown[]) =>
          call(name, args),
    }),
    async restart() {
      const ended = gone()
      child.kill('SIGKILL')
      await ended
      start()
    },
    async end() {
      const ended = gone()
      child.disconnect()
      await ended
    },
  }
}
