import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'

/** A day. */
export const MOST_IDLE_MINUTES = 24 * 60
export const DEFAULT_IDLE_MINUTES = 15

/** How long a console may stand unattended. */
export const SessionSettings = z
  .strictObject({
    idle_timeout_minutes: z
      .number(says('settings.enter_minutes'))
      .int(says('settings.whole_minutes'))
      .min(0, says('core.at_least', { least: 0 }))
      .max(MOST_IDLE_MINUTES, says('core.at_most', { most: MOST_IDLE_MINUTES }))
      .describe('Minutes without a key or a pointer after which the console signs its user out; 0: never'),
  })
  .meta({ examples: [{ idle_timeout_minutes: DEFAULT_IDLE_MINUTES }] })
export type SessionSettings = z.infer<typeof SessionSettings>

const resource = 'settings_sessions'
const path = '/api/v2/settings/sessions'

export const sessionSettings = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read(resource),
    summary: 'When the console signs out whoever is away',
    reply: SessionSettings,
  },
  save: {
    verb: 'PUT',
    path,
    needs: update(resource),
    summary: 'Says when the console signs out whoever is away, and whether',
    body: SessionSettings,
    reply: SessionSettings,
  },
})
