import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { composeEngines } from '@mainstay/engines/compose'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { createApp } from './app'
import { ConfigError, printableConfig, readConfig, type Config } from './config'
import { openTls } from './http/tls'
import { openTools } from './open-tools'
import { version } from './version'

/** What never stands in a log, wherever an object holds it. */
const secrets = ['password', 'token', 'scoped_token', 'user_data', 'private_key', 'new_password', 'current_password']
const redact = secrets.flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
  `req.headers["x-auth-token"]`,
  'req.headers.cookie',
])

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
  const log = pino(
    { level: config.logLevel, redact: { paths: [...new Set(redact)], censor: '[redacted]' } },
    pino.destination(2),
  )
  const tls = await openTls(config.tls, config.dataFolder, config.host)
  const { tools, firstStart, close } = await openTools({ config, log, version, compose: composeEngines })
  const consoleFolder = config.consoleFolder ?? fileURLToPath(new URL('../../console/dist', import.meta.url))
  const app = createApp(tools, { tls, consoleFolder, checkReplies: config.checkReplies })
  const shutDown = closer(async () => {
    tools.hub.aboutToStop()
    app.closeSockets()
    const finished = Promise.all([app.selfService.close(), app.admin.close()])
    await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, FINISH_WITHIN_MS).unref())])
    for (const { server } of [app.selfService, app.admin]) server.closeAllConnections()
    await close()
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      log.info({ signal }, 'stopping')
      shutDown().then(
        () => process.exit(0),
        (err: unknown) => {
          log.error({ err }, 'the server did not stop in order')
          process.exit(1)
        },
      )
    })
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
    if (firstStart) say(`  user             ${firstStart.username}`)
    if (firstStart?.password) {
      say(`  password         ${firstStart.password}`)
      say('')
      say('  The password is shown this once. Keep it, or change it after signing in.')
    }
    if (tools.computeMissing) say(`\n  No virtual machines here: ${tools.computeMissing.advice}`)
    if (tools.compute.about.simulated) say('\n  The hypervisor is simulated: its virtual machines only pretend.')
    if (!existsSync(consoleFolder)) say('\n  The console is not built; the API works without it.')
    say('')
  } catch (error) {
    await shutDown()
    throw error
  }
}

/** A way to stop that works once, however often it is asked for. */
function closer(work: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null
  return () => (closing ??= work())
}

run().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  const stack = process.env['MAINSTAY_LOG_LEVEL'] === 'debug' && error instanceof Error ? [error.stack ?? ''] : []
  giveUp([`Mainstay could not start: ${message}`, ...stack], 1)
})
