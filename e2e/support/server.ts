import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export const adminPassword = 'correct horse 12'
const root = fileURLToPath(new URL('../../', import.meta.url))
/** Long timeout, because the server starts slowly on a busy machine. */
const readyWithinMs = 180_000

export interface RunningServer {
  /** URL of the self-service panel, without a trailing slash. */
  url: string
  adminUrl: string
  stop: () => Promise<void>
}

const built = path.join(root, 'server/dist/main.js')
const entry = () => (existsSync(built) ? [built] : ['--import', 'tsx', path.join(root, 'server/src/main.ts')])

/** Starts the server with the built console on a new data folder, as a user would. */
export async function startServer(environment: Record<string, string> = {}): Promise<RunningServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-e2e-'))
  const child = spawn(process.execPath, entry(), {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      MAINSTAY_DATA: folder,
      MAINSTAY_PORT: '0',
      MAINSTAY_ADMIN_PORT: '0',
      MAINSTAY_S3_PORT: '0',
      MAINSTAY_HYPERVISOR: 'simulated',
      MAINSTAY_WORLD: 'demo',
      MAINSTAY_ADMIN_PASSWORD: adminPassword,
      MAINSTAY_LOG_LEVEL: 'warn',
      ...(process.env['MAINSTAY_CONSOLE'] && { MAINSTAY_CONSOLE: process.env['MAINSTAY_CONSOLE'] }),
      ...environment,
    },
  })
  let said = ''
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const addresses = await new Promise<[string, string]>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the server is not ready after 180 s:\n${said}`)), readyWithinMs)
    const hear = (chunk: Buffer) => {
      said += chunk.toString()
      const [url, adminUrl] = ['self-service', 'administration'].map(
        (panel) => new RegExp(`${panel}\\s+(https?://\\S+)`).exec(said)?.[1],
      )
      if (!url || !adminUrl) return
      clearTimeout(late)
      resolve([url, adminUrl])
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    void ended.then(() => reject(new Error(`the server ended:\n${said}`)))
  }).catch(async (fault: unknown) => {
    await stop()
    throw fault
  })
  return {
    url: addresses[0],
    adminUrl: addresses[1],
    stop,
  }
}
