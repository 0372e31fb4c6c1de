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

/** Where a call comes from. `browser`: it says so by Origin or Sec-Fetch-Site. */
export interface Origin {
  address: string
  /** What the browser keeps to be known again by; null or left out where it has nothing. */
  device?: string | null
  user_agent: string
  browser: boolean
  /** The port that was called. */
  panel: Panel
  request_id: string
}

/** A session that has just begun. */
export interface NewSession {
  signedIn: SignedIn
  token: string
  /** For the browser to be known again by; null for a program. */
  device: string | null
}

export interface Sessions {
  /** Who was told of failed sign-ins. */
  lockNotices: LockNotices
  /** How long a session lives at most, and how long a device is remembered after a sign-in. */
  lifetime: { sessionSeconds: number; deviceSeconds: number }
  /**
   * Answers the user and an unscoped token, or that of the project to which the sign-in is bound. Throws
   * `wrong_credentials`, `access_disabled`, `too_many_attempts`, `server_busy`, `forbidden`, `unsupported`,
   * `engine_unavailable`; `second_factor_required` and `password_change_required` with the challenge for the next step.
   */
  signIn(login: Login, from: Origin): Promise<NewSession>
  /** The same for a sign-in through an identity provider; `look` finds out who it is, null for what is no sign-in. */
  acceptHandOver(providerId: string, look: () => Promise<Authenticated | null>, from: Origin): Promise<NewSession>
  /**
   * The same by a link for choosing a password; other sessions end. After an administrator's link also passkeys, second factors, tokens
   * and S3 keys that were there before are gone. Throws `not_found`, `validation`, `access_disabled`.
   */
  choosePassword(link: string, password: string, from: Origin): Promise<NewSession>
  /**
   * Goes on after the password with a code, by the challenge. Throws `second_factor_wrong`, `too_many_attempts`, `sign_in_expired`,
   * `access_disabled`; `password_change_required` with the next challenge.
   */
  passSecondFactor(challenge: string, code: string, from: Origin): Promise<NewSession>
  /**
   * The same with another password in the place of one that has to be changed, by the challenge of the sign-in before. Passkeys, second
   * factors, sessions, tokens and S3 keys that were there before are gone. Throws `sign_in_expired`, `validation`, `access_disabled`.
   */
  renewPassword(challenge: string, password: string, from: Origin): Promise<NewSession>
  /** An app's secret for who has to set up a second factor to go on, by the challenge. Throws `sign_in_expired`. */
  beginCodes(challenge: string): Promise<AppSecret>
  /** Turns codes on with a first one, and goes on. Throws `validation`, `sign_in_expired`, `access_disabled`. */
  confirmCodes(
    challenge: string,
    code: string,
    from: Origin,
  ): Promise<{ session: NewSession; recovery_codes: string[] }>
  /** The same with a passkey. */
  beginPasskey(challenge: string, party: RelyingParty): Promise<CreationOptions>
  addPasskey(challenge: string, name: string, made: MadeCredential, from: Origin): Promise<NewSession>
  /** What a passkey has to sign for who signs in with it from an address. Throws `too_many_requests`. */
  passkeyChallenge(party: RelyingParty, address: string): Promise<string>
  /**
   * A sign-in by a passkey, which is both factors. Throws `passkey_refused`, `passkey_copied`, `sign_in_expired`, `too_many_attempts`,
   * `server_busy`, `access_disabled`; `password_change_required` with the challenge for the next step.
   */
  signInByPasskey(used: UsedCredential, from: Origin): Promise<NewSession>
  /** Failed sign-ins of a user, by the names of the domain and of the user. */
  lockOf(user: string): Promise<UserLock>
  /** Forgets them. */
  unlock(user: string): Promise<void>
  /**
   * Who holds a token. `projectId` puts an unscoped token into a project for this call;
   * `idle`: nobody did anything, so the session is not used by it. `panel`: the port that was called; left out, the portal, where the
   * fewest permissions count. Throws `unauthorized` for a
   * token that is forged, expired or revoked, or whose project the user has left; `access_disabled` where the user,
   * the domain or the project is disabled; `not_found` for a `projectId` that the user may not enter.
   */
  resolve(
    token: string,
    requestId: string,
    how?: { projectId?: string | undefined; idle?: boolean; panel?: Panel },
  ): Promise<SignedIn>
  /** As `resolve`, for what was begun by a session and goes on without its token (an open screen). */
  resolveSession(
    session: Pick<SignedIn, 'session_id' | 'credential_key' | 'panel'> & { project_id: string | null },
    requestId: string,
  ): Promise<SignedIn>
  /** A token without a project, of the same session. Throws `forbidden` for who acts in a project. */
  anotherToken(signedIn: SignedIn): Promise<string>
  /** A token for one project, of the same session. Throws `not_found`, `access_disabled`. */
  enterProject(signedIn: SignedIn, projectId: string): Promise<string>
  /** Where the browser of a token’s session signs out at its identity provider; null where that knows no signing out. */
  signOutAt(token: string): Promise<Secret | null>
  /** Ends the session of a token and all its tokens. Answers whether there was one; a token for programs stays. */
  signOut(token: string): Promise<boolean>
  /** Ends the user's other sessions as well. Throws `current_password_wrong`, `too_many_attempts`, `server_busy`, `unsupported`. */
  changePassword(signedIn: SignedIn, change: ChangePassword, from: Origin): Promise<void>
  /** Ends every session of these users. */
  endOf(...userIds: string[]): Promise<void>
  /** Ends sessions and tokens of users who have got their first system permission, and removes their passkeys. */
  closeForRights(userIds: readonly string[]): Promise<void>
  own: OwnSessions
  programTokens: ProgramTokens
  secondFactors: SecondFactors
  ownSecondFactor: OwnSecondFactor
  passkeys: Passkeys
  signInRules: SignInRules
  ownPasskeys: OwnPasskeys
  /** Calls back when a session was ended, here or by another server. Answers how to stop listening. */
  onEnded(listener: (sessionId: string) => void): () => void
  /** Tells that a session was ended elsewhere. */
  tellEnded(sessionId: string): void
  /** Whose rights are others now, while their sessions go on. */
  rightsChanges: RightsChanges
  /** Forgets sessions that are over since long, and failures and places of sign-ins. */
  prune(): Promise<void>
}
