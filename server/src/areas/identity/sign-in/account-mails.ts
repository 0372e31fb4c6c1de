import { PASSWORD_LINK_HOURS, RESET_LINK_MINUTES } from '@mainstay/contract/identity/password-links'
import { letterWithLink, type MailContent } from '../../../mail/sealed-mail'

interface LinkMail {
  subject: string
  content: MailContent
}
interface Whom {
  user: string
  domain: string
  url: string
}

/** From an administrator: to who has no password yet, or to who needs another one. */
export function linkMail({ user, domain, url, isNew }: Whom & { isNew: boolean }): LinkMail {
  const days = PASSWORD_LINK_HOURS / 24
  return {
    subject: isNew ? `Your account ${user}` : `Choose a password for your account ${user}`,
    content: letterWithLink({
      before: [
        isNew
          ? `An administrator has made an account for you: ${user}, in the domain ${domain}.`
          : `An administrator lets you choose a new password for your account ${user} in the domain ${domain}.`,
        `Choose a password within ${days} days. The link serves once.`,
      ],
      link: { url, label: 'Choose a password' },
      after: ['If you did not expect this, do nothing and tell your administrator.'],
    }),
  }
}

/** To who has asked for it on the sign-in page, or in whose name somebody has. */
export const resetMail = ({ user, domain, url }: Whom): LinkMail => ({
  subject: `A new password for your account ${user}`,
  content: letterWithLink({
    before: [
      `Somebody has asked for a new password for your account ${user} in the domain ${domain}.`,
      `If that was you, choose one within ${RESET_LINK_MINUTES} minutes. The link serves once.`,
    ],
    link: { url, label: 'Choose a new password' },
    after: ['If it was not you, do nothing: your password stays as it is.'],
  }),
})
