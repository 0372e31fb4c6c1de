import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'

/** One day. */
export const MOST_IDLE_MINUTES = 24 * 60
export const DEFAULT_IDLE_MINUTES = 15

/** How long a console can be idle before the user is signed out. */
export const SessionSettings = z
  .strictObject({
    idle_timeout_minutes: z
      .number(says('settings.enter_minutes'))
      .int(says('settings.whole_minutes'))
      .min(0, says('core.at_least', { least: 0 }))
      .max(MOST_IDLE_MINUTES, says('core.at_most', { most: MOST_IDLE_MINUTES }))
      .describe('Minutes without keyboard or pointer input before the console signs you out. 0: never.'),
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
    summary: 'Get the session settings of the console',
    reply: SessionSettings,
  },
  save: {
    verb: 'PUT',
    path,
    needs: update(resource),
    summary: 'Update the session settings of the console',
    body: SessionSettings,
    reply: SessionSettings,
  },
})
