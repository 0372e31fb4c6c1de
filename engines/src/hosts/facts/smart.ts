import type { HostDisk } from '@mainstay/contract/infrastructure/node-facts'
import * as z from 'zod'

export type Smart = Pick<HostDisk, 'smart_status' | 'temperature'>

/** Values before the first reading, and while a disk sleeps. */
export const unreadSmart: Smart = { smart_status: null, temperature: null }

const Report = z.object({
  smartctl: z.object({ messages: z.array(z.object({ string: z.string() })).optional() }),
  smart_status: z.object({ passed: z.boolean() }).optional(),
  temperature: z.object({ current: z.number() }).optional(),
})

/** Parses `smartctl -j -a`. Returns null if the disk sleeps and was therefore not queried. */
export function parseSmart(text: string): Smart | null {
  const { smartctl, smart_status, temperature } = Report.parse(JSON.parse(text))
  if (!smart_status && smartctl.messages?.some((message) => /STANDBY|SLEEP/.test(message.string))) return null
  return {
    smart_status: smart_status ? (smart_status.passed ? 'passed' : 'failed') : 'unknown',
    temperature: temperature?.current ?? null,
  }
}
