import type { ChangePassword, Login } from '@mainstay/contract/identity/session'
import type { Authenticated } from '@mainstay/engines/ports/identity'
import type { UserLock } from '@mainstay/contract/identity/users'
import type { Secret } from '@mainstay/engines/ports/secret'
import type { CreationOptions, MadeCredential, UsedCredential } from '@mainstay/contract/identity/passkeys'
import type { Panel } from '@mainstay/contract/panels'
import type { LockNotices } from './lock-notices'
import type { OwnSessions } from './own-sessions'
import type { OwnSecondFactor } from './second-factor/own-second-factor'
import type { ProgramTokens } from './program-tokens'
import type { OwnPasskeys } from './passkeys/own-passkeys'
import type { Passkeys } from './passkeys/passkeys'
import type { RelyingParty } from './passkeys/relying-party'
import type { RightsChanges } from './rights-changes'
import type { SecondFactors } from './second-factor/second-factors'
import type { SignInRules } from './sign-in-rules'
import type { AppSecret } from './second-factor/totp'
import type { SignedIn } from './signed-in'

/** Where a call comes from. `browser` is true if Origin or Sec-Fetch-Site indicates a browser. */
export interface Origin {
  address: string
  /** The device token that identifies the browser, if it has one. */
  device?: string | null
  user_agent: string
  browser: boolean
  /** The panel whose port was called. */
  panel: Panel
  request_id: string
}

/** A session that has just begun. */
export interface NewSession {
  signedIn: SignedIn
  token: string
  /** Device token for the browser to store; null for a program. */
  device: string | null
}

export interface Sessions {
  /** Records which users were notified of failed sign-ins. */
  lockNotices: LockNotices
  /** Maximum lifetime of a session, and how long a device is remembered after a sign-in. */
  lifetime: { sessionSeconds: number; deviceSeconds: number }
  /**
   * Returns the user and an unscoped token, or a project token if the sign-in is bound to a project. Throws
   * `wrong_credentials`, `access_disabled`, `too_many_attempts`, `server_busy`, `forbidden`, `unsupported` or
   * `engine_unavailable`, or `second_factor_required` or `password_change_required` with the challenge for the next
   * step.
   */
  signIn(login: Login, from: Origin): Promise<NewSession>
  /**
   * Signs in through an identity provider. `look` identifies the user, or returns null if there is no valid sign-in.
   */
  acceptHandOver(providerId: string, look: () => Promise<Authenticated | null>, from: Origin): Promise<NewSession>
  /**
   * Sets a password through a link and signs the user in. Other sessions are ended. A link from an administrator also
   * removes earlier passkeys, second factors, tokens and S3 keys. Throws `not_found`, `validation` or
   * `access_disabled`.
   */
  choosePassword(link: string, password: string, from: Origin): Promise<NewSession>
  /**
   * Continues a sign-in with a second-factor code. Throws `second_factor_wrong`, `too_many_attempts`, `sign_in_expired`
   * or `access_disabled`, or `password_change_required` with the challenge for the next step.
   */
  passSecondFactor(challenge: string, code: string, from: Origin): Promise<NewSession>
  /**
   * Continues a sign-in by replacing a password that must be changed. Removes earlier passkeys, second factors,
   * sessions, tokens and S3 keys. Throws `sign_in_expired`, `validation` or `access_disabled`.
   */
  renewPassword(challenge: string, password: string, from: Origin): Promise<NewSession>
  /**
   * Returns the secret for an authenticator app to a user who has to set up a second factor. Throws `sign_in_expired`.
   */
  beginCodes(challenge: string): Promise<AppSecret>
  /**
   * Enables second-factor codes with a first code and completes the sign-in. Throws `validation`, `sign_in_expired` or
   * `access_disabled`.
   */
  confirmCodes(
    challenge: string,
    code: string,
    from: Origin,
  ): Promise<{ session: NewSession; recovery_codes: string[] }>
  /** Like `beginCodes` and `confirmCodes`, but for a passkey. */
  beginPasskey(challenge: string, party: RelyingParty): Promise<CreationOptions>
  addPasskey(challenge: string, name: string, made: MadeCredential, from: Origin): Promise<NewSession>
  /** The challenge for signing in with a passkey from an address. Throws `too_many_requests`. */
  passkeyChallenge(party: RelyingParty, address: string): Promise<string>
  /**
   * Signs in with a passkey, which counts as both factors. Throws `passkey_refused`, `passkey_copied`,
   * `sign_in_expired`, `too_many_attempts`, `server_busy` or `access_disabled`, or `password_change_required` with the
   * challenge for the next step.
   */
  signInByPasskey(used: UsedCredential, from: Origin): Promise<NewSession>
  /** Failed sign-ins of the user with this `userKey`. */
  lockOf(user: string): Promise<UserLock>
  /** Forgets the user's failed sign-ins. */
  unlock(user: string): Promise<void>
  /**
   * Resolves a token. `projectId` applies an unscoped token to a project for this call only. `idle` marks a background
   * call, which does not count as activity. `panel` is the panel whose port was called; the default is the portal,
   * where the fewest permissions apply. Throws `unauthorized` if the token is forged, expired or revoked, or if the
   * user has left its project; `access_disabled` if the user, the domain or the project is disabled; and `not_found` if
   * the user may not enter `projectId`.
   */
  resolve(
    token: string,
    requestId: string,
    how?: { projectId?: string | undefined; idle?: boolean; panel?: Panel },
  ): Promise<SignedIn>
  /** Like `resolve`, but for something that outlives the call made with the token, such as an open console. */
  resolveSession(
    session: Pick<SignedIn, 'session_id' | 'credential_key' | 'panel'> & { project_id: string | null },
    requestId: string,
  ): Promise<SignedIn>
  /** Creates another unscoped token for the session. Throws `forbidden` in a project. */
  anotherToken(signedIn: SignedIn): Promise<string>
  /** Creates a token for a project in the session. Throws `not_found` or `access_disabled`. */
  enterProject(signedIn: SignedIn, projectId: string): Promise<string>
  /** URL at which the browser signs out of the identity provider; null if the provider does not support it. */
  signOutAt(token: string): Promise<Secret | null>
  /** Ends the session of a token, including all its tokens. Returns whether there was one. API tokens are kept. */
  signOut(token: string): Promise<boolean>
  /**
   * Changes the password and ends the user's other sessions. Throws `current_password_wrong`, `too_many_attempts`,
   * `server_busy` or `unsupported`.
   */
  changePassword(signedIn: SignedIn, change: ChangePassword, from: Origin): Promise<void>
  /** Ends all sessions of these users. */
  endOf(...userIds: string[]): Promise<void>
  /** Ends sessions and tokens of users who received their first system permission, and removes their passkeys. */
  closeForRights(userIds: readonly string[]): Promise<void>
  own: OwnSessions
  programTokens: ProgramTokens
  secondFactors: SecondFactors
  ownSecondFactor: OwnSecondFactor
  passkeys: Passkeys
  signInRules: SignInRules
  ownPasskeys: OwnPasskeys
  /**
   * Calls the listener when a session is ended, on this or another server. Returns a function that removes the
   * listener.
   */
  onEnded(listener: (sessionId: string) => void): () => void
  /** Reports a session that was ended by another server. */
  tellEnded(sessionId: string): void
  /** Announces changes to users' rights during their sessions. */
  rightsChanges: RightsChanges
  /** Deletes old sessions, and expired sign-in failures and sources. */
  prune(): Promise<void>
}
