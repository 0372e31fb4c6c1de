import { notifications } from '@mainstay/contract/settings/notifications'
import { createRates, takeOne } from '../../http/overload/rates'
import { serve } from '../../http/serve'
import { limits } from '../../limits'
import { mailSetting } from '../../mail/mailer'
import { changed, sendTest, shown } from './notifications.service'

/** Rate-limited because each test connects to a host chosen by the caller. */
const tests = createRates(limits.testMails)

export const notificationRoutes = serve(
  notifications,
  {
    view: async (_, { settings }) => shown(await settings.read(mailSetting)),
    save: async ({ body }, { settings }) => shown(await settings.change(mailSetting, (kept) => changed(kept, body))),
    async test({ body, caller }, { settings, mailer }) {
      takeOne(tests, caller.user.id, 'mail')
      const wanted = changed(await settings.read(mailSetting), body)
      return { recipients: await sendTest(wanted, mailer) }
    },
  },
  { about: 'notifications' },
)
