import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { composeEngines } from '@mainstay/engines/compose'
import type { FirstStart } from '@mainstay/engines/ports/engines'
import type { FastifyInstance } from 'fastify'
import { createApp } from './app'
import { ConfigError, printableConfig, readConfig, type Config } from './config'
import { openTls } from './http/tls'
import { createLog } from './log'
import { openTools } from './open-tools'
import { versionOf } from './version'

/** Requests that are being answered may go on this long after the server was told to stop. */
const FINISH_WITHIN_MS = 5_000

const say = (text: string) => process.stdout.write(`${text}\n`)
const giveUp = (lines: string[], code: number): never => {
  process.stderr.write(`${lines.join('\n')}\n`)
  process.exit(code)
}

function configOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (error instanceof ConfigError)
      return giveUp(['The configuration cannot be used:', ...error.lines.map((it) => `  ${it}`)], 2)
    throw error
  }
}

/** Said at once, before anything else can fail: a password that was generated is kept nowhere. */
function introduce({ username, password }: FirstStart): void {
  say('')
  say(`  user             ${username}`)
  say(`  password         ${password ?? 'that of MAINSTAY_ADMIN_PASSWORD'}`)
  if (password) say('  It is shown this once. Keep it, or change it after signing in.')
}

async function listen(app: FastifyInstance, host: string, port: number, variable: string): Promise<number> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reasons: Record<string, string> = {
      EADDRINUSE: `is in use by another program; choose another one with ${variable}`,
      EACCES: `is for privileged users only; choose one above 1023 with ${variable}`,
      EADDRNOTAVAIL: `cannot be opened: this machine has no address ${host}`,
      ENOTFOUND: `cannot be opened: the host ${host} is not known`,
    }
    const reason = reasons[code ?? '']
    if (reason) throw new Error(`Port ${port} of ${host} ${reason}.`, { cause: error })
    throw error
  }
  return (app.server.address() as AddressInfo).port
}

const inFrontOf = (started: number) => `${((performance.now() - started) / 1000).toFixed(1)} s`

async function run(): Promise<void> {
  const started = performance.now()
  const config = configOrExit()
  if (process.argv.includes('--print-config')) {
    say(printableConfig(config))
    return
  }
  const log = createLog(config.logLevel)
  const consoleFolder = config.consoleFolder ?? fileURLToPath(new URL('../../console/dist', import.meta.url))
  const version = versionOf(consoleFolder)

  // told to stop before it has started: what was begun (a database, a lease) is ended in order as well
  const starting = deferred<() => Promise<void>>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      log.info({ signal }, 'stopping')
      starting.promise
        .then((shutDown) => shutDown())
        .then(
          () => process.exit(0),
          (err: unknown) => {
            log.error({ err }, 'the server did not stop in order')
            process.exit(1)
          },
        )
    })

  const tls = await openTls(config.tls, config.dataFolder, config.host)
  const { tools, close } = await openTools({ config, log, version, compose: composeEngines, onFirstStart: introduce })
  const app = createApp(tools, { tls, consoleFolder, checkReplies: config.checkReplies })
  const shutDown = closer(async () => {
    const finished = Promise.all([app.selfService.close(), app.admin.close(), app.closeSockets()])
    await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, FINISH_WITHIN_MS))])
    for (const { server } of [app.selfService, app.admin]) server.closeAllConnections()
    await close()
  })
  starting.resolve(shutDown)
  process.on('unhandledRejection', (err) => log.error({ err }, 'a fault of ours that nobody waited for'))

  try {
    const scheme = tls ? 'https' : 'http'
    const shown = config.host.includes(':') ? `[${config.host}]` : config.host
    const port = await listen(app.selfService, config.host, config.port, 'MAINSTAY_PORT')
    const adminPort = await listen(app.admin, config.host, config.adminPort, 'MAINSTAY_ADMIN_PORT')
    say('')
    say(`  Mainstay ${version.version} is ready after ${inFrontOf(started)}`)
    say('')
    say(`  self-service     ${scheme}://${shown}:${port}`)
    say(`  administration   ${scheme}://${shown}:${adminPort}`)
    if (tools.computeMissing) say(`\n  No virtual machines here: ${tools.computeMissing.advice}`)
    if (tools.compute.about.simulated) say('\n  The hypervisor is simulated: its virtual machines only pretend.')
    if (!existsSync(consoleFolder)) say('\n  The console is not built; the API works without it.')
    say('')
  } catch (error) {
    await shutDown()
    throw error
  }
}

function deferred<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve!: (value: Value) => void
  const promise = new Promise<Value>((done) => (resolve = done))
  return { promise, resolve }
}

/** A way to stop that works once, however often it is asked for. */
function closer(work: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null
  return () => (closing ??= work())
}

run().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  giveUp([`Mainstay could not start: ${message}`], 1)
})
