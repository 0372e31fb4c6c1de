import * as z from 'zod'
import { ENDS_VERY_SOON_DAYS } from '@mainstay/contract/settings/certificate'
import { job, schedule } from '../../module'

/** Numbers of days before expiry on which an alert is sent, which includes each day of the last week. */
const toldAt: readonly number[] = [29, 14, ...Array.from({ length: ENDS_VERY_SOON_DAYS }, (_, days) => days)]

/** Alerts operators before the certificate expires, with a warning at first and with an error in the last week. */
export const certificateWatch = schedule({
  name: 'certificate.watch',
  job: job({
    name: 'certificate.watch',
    args: z.strictObject({}),
    async run(_, { certificate, mailer }) {
      const { certificate: served, source } = certificate.about(null)
      // self-signed certificates are renewed automatically
      if (!served || source === 'self-signed' || !toldAt.includes(served.days_left)) return
      const days = served.days_left
      await mailer.alert(days < ENDS_VERY_SOON_DAYS ? 'error' : 'warning', {
        subject: `The certificate expires in ${days} ${days === 1 ? 'day' : 'days'}`,
        text: `The certificate for ${served.names.join(', ')} expires on ${served.not_after.slice(0, 10)}.\nUpload a new certificate in the admin panel under Settings, Certificate.\n`,
      })
    },
  }),
  plan: { cron: '17 6 * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'once' },
})
