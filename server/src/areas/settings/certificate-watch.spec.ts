import type { SslConfig } from '@mainstay/contract/settings/certificate'
import { expect, it, vi } from 'vitest'
import type { Tools } from '../../tools'
import { certificateWatch } from './certificate-watch'

const config = (days_left: number, source: SslConfig['source']): SslConfig => ({
  ...{ is_valid: true, self_signed: source === 'self-signed', ssl: true, source, warnings: [] },
  certificate: {
    ...{ subject: 'CN=console.example', issuer: 'CN=authority', names: ['console.example'], fingerprint: '' },
    ...{ not_before: '2026-01-01T00:00:00.000Z', not_after: '2026-12-01T00:00:00.000Z', days_left },
  },
})

/** Returns the severities of the alerts that are sent when this many days are left. */
async function toldWith(days: number, source: SslConfig['source'] = 'uploaded'): Promise<string[]> {
  const alert = vi.fn<Tools['mailer']['alert']>(async () => undefined)
  const tools = { certificate: { about: () => config(days, source) }, mailer: { alert } } as unknown as Tools
  await certificateWatch.job.run({ args: {} } as never, tools)
  return alert.mock.calls.map(([severity]) => severity)
}

it('warns 29 and 14 days before a certificate expires and sends an error on each of the last seven days', async () => {
  for (const days of [90, 30, 28, 15, 8]) expect(await toldWith(days), `${days}`).toEqual([])
  for (const days of [29, 14]) expect(await toldWith(days), `${days}`).toEqual(['warning'])
  for (const days of [6, 5, 4, 3, 2, 1, 0]) expect(await toldWith(days), `${days}`).toEqual(['error'])
  expect(await toldWith(5, 'self-signed')).toEqual([])
})
