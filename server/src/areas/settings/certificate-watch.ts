import * as z from 'zod'
import { ENDS_VERY_SOON_DAYS } from '@mainstay/contract/settings/certificate'
import { job, schedule } from '../../module'

/** Days before the end on which it is told; from the last week on, every day. */
const toldAt: readonly number[] = [29, 14, ...Array.from({ length: ENDS_VERY_SOON_DAYS }, (_, days) => days)]

/** Tells those who get alerts that the certificate ends: a warning first, an error in the last week. */
export const certificateWatch = schedule({
  name: 'certificate.watch',
  job: job({
    name: 'certificate.watch',
    args: z.strictObject({}),
    async run(_, { certificate, mailer }) {
      const { certificate: served, source } = certificate.about(null)
      // one that the server made is made anew in time
      if (!served || source === 'self-signed' || !toldAt.includes(served.days_left)) return
      const days = served.days_left
      await mailer.alert(days < ENDS_VERY_SOON_DAYS ? 'error' : 'warning', {
        subject: `The certificate ends in ${days} days`,
        text: `The certificate for ${served.names.join(', ')} ends on ${served.not_after.slice(0, 10)}.\nUpload a new one in the administration panel under Settings, Certificate.\n`,
      })
    },
  }),
  plan: { cron: '17 6 * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'once' },
})
