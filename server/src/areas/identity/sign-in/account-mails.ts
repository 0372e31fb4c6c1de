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

/** To whose account something was added that opens it. `what`: `The passkey “laptop” was added to`. */
const addedMail = (user: string, domain: string, subject: string, what: string) => ({
  subject,
  text: [
    `${what} your account ${user} in the domain ${domain}.`,
    '',
    'If it was not you, remove it in your account, choose another password and tell your administrator.',
    '',
  ].join('\n'),
})

export const passkeyMail = (user: string, domain: string, name: string): { subject: string; text: string } =>
  addedMail(
    user,
    domain,
    `A passkey was added to your account ${user}`,
    `The passkey “${name}”, which signs in without your password, was added to`,
  )

/** To who has set up codes in a sign-in, with nothing but the password. */
export const codesMail = (user: string, domain: string): { subject: string; text: string } =>
  addedMail(
    user,
    domain,
    `A second factor was set up for your account ${user}`,
    'Codes of an authenticator app were set up for',
  )
