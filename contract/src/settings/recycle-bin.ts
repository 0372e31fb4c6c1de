import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'

export const DEFAULT_RECYCLE_DAYS = 7
/** The retention is limited, because deleted objects continue to use storage. */
export const MOST_RECYCLE_DAYS = 90

/** How long deleted objects can be restored. */
export const RecycleBinSettings = z
  .strictObject({
    days: z
      .number(says('core.enter_days'))
      .int(says('settings.whole_days'))
      .min(0, says('core.at_least', { least: 0 }))
      .max(MOST_RECYCLE_DAYS, says('core.at_most', { most: MOST_RECYCLE_DAYS }))
      .describe(
        'Number of days for which deleted virtual machines and volumes can be restored. 0: permanent deletion. ' +
          'Items already in the recycle bin keep their expiration date.',
      ),
  })
  .meta({ examples: [{ days: DEFAULT_RECYCLE_DAYS }] })
export type RecycleBinSettings = z.infer<typeof RecycleBinSettings>

const resource = 'settings_recycle_bin'
const path = '/api/v2/settings/recycle-bin'

export const recycleBinSettings = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read(resource),
    summary: 'Get the recycle bin settings',
    reply: RecycleBinSettings,
  },
  save: {
    verb: 'PUT',
    path,
    needs: update(resource),
    summary: 'Update the recycle bin settings',
    body: RecycleBinSettings,
    reply: RecycleBinSettings,
  },
})
