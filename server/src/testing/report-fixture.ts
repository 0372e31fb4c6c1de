import { spawnSync } from 'node:child_process'
import { taskIsOver, tasks, type Task } from '@mainstay/contract/core/tasks'
import { reports } from '@mainstay/contract/settings/reports'
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest'
import { createLog } from '../log'
import { createRecentLog } from '../reports/recent-log'
import type { PersonaName } from './personas'
import { startReportDestination, type ReportDestination } from './outside/report-destination'
import { startServer, type TestServer } from './start-server'

/* Shared setup for the specs about problem reports. */

export const as = 'superuser'
export const tenant = 'project-member'
export const deliveryTimeout = { timeout: 20_000, interval: 20 }
export const planted = {
  adminPassword: 'correct horse 12',
  metricsToken: 'metrics-token-0123456789',
  sealingKey: 'a-sealing-key-of-the-installation-0001',
  smtpPassword: 'smtp "secret" ü/+ 42',
  reportToken: 'destination-token-77',
  cloudPassword: 'not one of ours 9',
}
export let server: TestServer
export let destination: ReportDestination
export const recentLog = createRecentLog()
export const log = createLog('info', { write: () => undefined }, recentLog)
/** Starts a server and a report destination for a spec file, and clears both before each test. */
export function withReports(): void {
  beforeAll(async () => {
    destination = await startReportDestination()
    server = await startServer({
      ...{ log, recentLog },
      environment: { MAINSTAY_METRICS_TOKEN: planted.metricsToken, MAINSTAY_SEALING_KEY: planted.sealingKey },
    })
  })
  afterAll(async () => {
    destination.answerNow()
    await server.close()
    await destination.close()
  })
  beforeEach(async () => {
    destination.answerNow()
    destination.taken.length = 0
    await vi.waitFor(async () => expect(await server.tools.problemReports.isRunning()).toBe(false), deliveryTimeout)
    await server.sql.query('delete from setting')
    await server.sql.query('delete from problem_report')
  })
}

export const draft = { contact_email: 'ada@example.com', problem_description: 'The volume “db” cannot be attached' }
export const make = async (body: object = draft, who: PersonaName = as) =>
  (await server.call(reports.create, { as: who, body: body as typeof draft })).task_id
export async function done(taskId: string, who: PersonaName = as): Promise<Task> {
  const look = () => server.call(tasks.view, { as: who, params: { id: taskId } })
  return vi.waitFor(async () => {
    const task = await look()
    expect(taskIsOver(task.state), task.state).toBe(true)
    return task
  }, deliveryTimeout)
}
export const list = async () => (await server.call(reports.list, { as })).data
export const save = (problem: object) => server.call(reports.saveSettings, { as, body: { problem } })
export const sendThere = (more: object = {}) =>
  save({ sending_enabled: true, url: destination.url, ca: destination.ca, token: planted.reportToken, ...more })
export const settingsOf = async (who: PersonaName) => (await server.call(reports.settings, { as: who })).problem
export const download = async (id: string, who: PersonaName = as) =>
  Buffer.from(await (await server.fetch(reports.download, { as: who, params: { id } })).arrayBuffer())
/** Runs `tar` on an archive, as users do. */
export const tar = (words: string, bytes: Buffer): string => {
  const { status, stdout } = spawnSync('tar', [words], { input: bytes, maxBuffer: 64 * 1024 * 1024 })
  expect(status).toBe(0)
  return stdout.toString('utf8')
}
/** Inserts a report that is `hours` old; `archive` is an SQL expression. */
export const plant = (id: string, hours: number, archive = 'null') =>
  server.sql.query(
    `insert into problem_report (id, task_id, user_id, username, domain_id, of_operator, contact_email, problem_description,
         archive, created_at)
       values ($1, 't', 'u', 'u', 'd', true, 'a@b.cd', '', ${archive}, now() - make_interval(hours => $2))`,
    [id, hours],
  )
export const made = async (body: object = draft, who: PersonaName = as) => {
  const task = await done(await make(body, who), who)
  expect(task).toMatchObject({ state: 'success', error: null })
  const [newest] = await list()
  return { task, report: newest!, bytes: await download(newest!.id) }
}
