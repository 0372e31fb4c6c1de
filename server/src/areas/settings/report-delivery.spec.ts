import { reports, ReportSettings } from '@mainstay/contract/settings/reports'
import { describe, expect, it } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startReportDestination } from '../../testing/outside/report-destination'
import {
  as,
  destination,
  done,
  download,
  draft,
  list,
  make,
  plant,
  planted,
  save,
  sendThere,
  server,
  settingsOf,
  tar,
  tenant,
  withReports,
} from '../../testing/report-fixture'

withReports()

describe('the report settings', () => {
  it('include problem.sending_enabled, which defaults to false [EN-075] [CA-030]', async () => {
    const before = await server.call(reports.settings, { as })
    expect(ReportSettings.parse(before)).toEqual(before)
    expect(before.problem.sending_enabled).toBe(false)
    await sendThere()
    const answer = await fetch(`${server.url}${reports.settings.path}/`, {
      headers: { 'x-auth-token': await server.signIn(tenant) },
    })
    expect(await answer.json()).toMatchObject({ problem: { sending_enabled: true } })
    await save({ sending_enabled: false })
    expect((await settingsOf(tenant)).sending_enabled).toBe(false)
  })

  it('can be switched on and off by administrators, and command-line clients get a finished task', async () => {
    await sendThere({ sending_enabled: false })
    const flip = (action: string, sort = 'problem', who: PersonaName = as) =>
      server.call(reports.switch, { as: who, params: { sort, action } })
    for (const [action, isOn] of [
      ['enable-sending', true],
      ['disable-sending', false],
    ] as const) {
      const { task_id } = await flip(action)
      expect(await settingsOf(as)).toMatchObject({ sending_enabled: isOn, url: destination.url, has_token: true })
      expect(await done(task_id)).toMatchObject({ name: 'report.switch_sending', state: 'success' })
    }
    for (const [sort, action] of [
      ['crash', 'enable-sending'],
      ['cep', 'disable'],
      ['problem', 'retry'],
      ['other', 'enable-sending'],
    ] as const)
      await expect(flip(action, sort)).rejects.toMatchObject({ code: 'unsupported' })
    for (const who of ['viewer', tenant] as const)
      await expect(flip('enable-sending', 'problem', who)).rejects.toMatchObject({ code: 'forbidden' })
    expect((await settingsOf(as)).sending_enabled).toBe(false)
  })

  it('cannot be enabled unless a destination is set', async () => {
    await expect(
      server.call(reports.switch, { as, params: { sort: 'problem', action: 'enable-sending' } }),
    ).rejects.toMatchObject({ code: 'validation', fields: { 'problem.url': [expect.any(String)] } })
  })

  it('show the destination to operators only and never return the token', async () => {
    const shown = { sending_enabled: true, running: false, url: destination.url, has_token: true, has_ca: true }
    expect((await sendThere()).problem).toEqual(shown)
    expect(await settingsOf('viewer')).toEqual(shown)
    const hidden = { sending_enabled: true, running: false, url: null, has_token: false, has_ca: false }
    for (const who of ['domain-admin', tenant] as const) expect(await settingsOf(who)).toEqual(hidden)
    const kept = await server.sql.query("select value, encode(sealed, 'escape') as sealed from setting")
    const lines = await server.sql.query('select * from audit')
    expect(JSON.stringify([kept, lines])).not.toContain(planted.reportToken)
    for (const who of ['viewer', 'compute-operator', 'domain-admin', tenant] as const)
      await expect(server.call(reports.saveSettings, { as: who, body: { problem: {} } })).rejects.toMatchObject({
        code: 'forbidden',
      })
  })

  it('are refused with an error on the invalid field', async () => {
    const refused = (problem: object, field: string) =>
      expect(save(problem), JSON.stringify(problem)).rejects.toMatchObject({
        code: 'validation',
        fields: { [`problem.${field}`]: [expect.any(String)] },
      })
    await refused({ sending_enabled: true }, 'url')
    for (const url of ['http://127.0.0.1/', 'https://u:p@127.0.0.1/', 'ftp://x', 'x', 'https://a/#b'])
      await refused({ url }, 'url')
    await refused({ url: destination.url, ca: 'no certificate' }, 'ca')
    await refused({ url: destination.url, token: 'a b' }, 'token')
    await sendThere()
    await refused({ url: 'https://127.0.0.1:1/' }, 'token')
    await refused({ ca: '' }, 'token')
    expect((await save({ url: 'https://127.0.0.1:1/', token: '' })).problem.has_token).toBe(false)
  })
})

describe('a report that cannot be sent', () => {
  const fails = async (code: string, words: string) => {
    const task = await done(await make())
    expect(task).toMatchObject({ state: 'failed', err_code: code, error: expect.stringContaining(words) })
    // the report is kept and can still be downloaded
    const [report] = await list()
    expect(report).toMatchObject({ sent_at: null, send_error: task.error, size: expect.any(Number) })
    expect(tar('-xzO', await download(report!.id))).toContain(draft.problem_description)
    expect(await server.tools.problemReports.isRunning()).toBe(false)
  }

  it('is kept if the destination refuses it, for example because it is too large', { tags: 'all' }, async () => {
    await sendThere()
    for (const [status, words] of [
      [500, '(500)'],
      [403, 'token (403)'],
      [413, 'too large for the report destination (413)'],
      [302, 'redirect (302). Redirects are not followed.'],
    ] as const) {
      destination.answers = status
      await fails('report_refused', words)
    }
    destination.answers = 'early'
    await fails('report_refused', 'too large for the report destination (413)')
  })

  it('is kept if the token was encrypted with another server’s key', async () => {
    await sendThere()
    await server.sql.query(`update setting set sealed = '\\x00' where name = 'reports'`)
    await fails('not_configured', 'another server’s key')
    expect(destination.taken).toEqual([])
  })

  it('is kept if sending was disabled while the report was created', async () => {
    await plant('made', 1, "'x'")
    await sendThere({ sending_enabled: false })
    const args = { id: 'made', send: true, verbosity_level: 'basic' as const, include_days: 7 }
    const run = { args, progress: () => undefined, signal: new AbortController().signal }
    const off = { code: 'not_configured', message: expect.stringContaining('problem reports has been disabled') }
    await expect(server.tools.problemReports.run(run as never)).rejects.toMatchObject(off)
    expect(destination.taken).toEqual([])
  })

  it('is kept if the destination does not respond', async () => {
    await sendThere({ url: 'https://127.0.0.1:9/' })
    await fails('report_unreachable', 'cannot be reached')
  })

  it('is kept if the certificate is not trusted or is for another host', async () => {
    await sendThere({ ca: '' })
    await fails('report_untrusted', 'certificate')
    expect(destination.taken).toEqual([])
    const other = await startReportDestination(['elsewhere.example'])
    try {
      await sendThere({ url: other.url, ca: other.ca })
      await fails('report_untrusted', 'certificate')
      expect(other.taken).toEqual([])
    } finally {
      await other.close()
    }
  })
})
