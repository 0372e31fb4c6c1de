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

/** Email with a link from an administrator, for a user who has no password yet or must choose a new one. */
export function linkMail({ user, domain, url, isNew }: Whom & { isNew: boolean }): LinkMail {
  const days = PASSWORD_LINK_HOURS / 24
  return {
    subject: isNew ? `Your new account ${user}` : `Choose a password for your account ${user}`,
    content: letterWithLink({
      before: [
        isNew
          ? `An administrator has created the account ${user} in the domain ${domain} for you.`
          : `An administrator asks you to choose a new password for your account ${user} in the domain ${domain}.`,
        `Choose a password within ${days} days. The link can be used only once.`,
      ],
      link: { url, label: 'Choose a password' },
      after: ['If you did not expect this email, ignore it and tell your administrator.'],
    }),
  }
}

/** Email sent when a password reset is requested on the sign-in page, possibly not by the user. */
export const resetMail = ({ user, domain, url }: Whom): LinkMail => ({
  subject: `Reset the password of your account ${user}`,
  content: letterWithLink({
    before: [
      `A password reset was requested for your account ${user} in the domain ${domain}.`,
      `To choose a new password, open the link within ${RESET_LINK_MINUTES} minutes. It can be used only once.`,
    ],
    link: { url, label: 'Choose a new password' },
    after: ['If you did not request this, ignore this email. Your password does not change.'],
  }),
})

/**
 * Notifies a user of a new credential. `what`: beginning of the sentence, such as `The passkey “laptop” was added to`.
 */
const addedMail = (user: string, domain: string, subject: string, what: string) => ({
  subject,
  text: [
    `${what} your account ${user} in the domain ${domain}.`,
    '',
    'If this was not you, remove it in your account, change your password and tell your administrator.',
    '',
  ].join('\n'),
})

export const passkeyMail = (user: string, domain: string, name: string): { subject: string; text: string } =>
  addedMail(
    user,
    domain,
    `A passkey was added to your account ${user}`,
    `The passkey “${name}”, which can sign in without your password, was added to`,
  )

/** Notifies a user that an authenticator app was set up during a sign-in that required only the password. */
export const codesMail = (user: string, domain: string): { subject: string; text: string } =>
  addedMail(user, domain, `A second factor was set up for your account ${user}`, 'An authenticator app was set up for')
