import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * What travels with a call through everything that it awaits, so that no command can forget to pass it on. Each part of the server
 * declares its own members beside their rules (`declare module '@mainstay/engines/ports/call-context'`).
 */
export interface CallContext {
  /** The command runs up to the point where it would change something, and is stopped there. */
  isRehearsal?: true
}

const contexts = new AsyncLocalStorage<Readonly<CallContext>>()
const none: Readonly<CallContext> = {}

/** The context of the call under way; empty outside of any. */
export const currentCall = (): Readonly<CallContext> => contexts.getStore() ?? none

/** Does work with these members beside those of the call under way. */
export const withinCall = <Result>(more: CallContext, work: () => Result): Result =>
  contexts.run({ ...currentCall(), ...more }, work)

/** Does work that is not part of the call that set it going, as the run of a job: nothing of that call travels with it. */
export const asOwnCall = <Result>(context: CallContext, work: () => Result): Result => contexts.run(context, work)
