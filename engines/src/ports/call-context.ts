import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Context that travels with a call through everything it awaits, so that commands do not have to pass it on. Each
 * module of the server declares its own members (`declare module '@mainstay/engines/ports/call-context'`).
 */
export interface CallContext {
  /** Dry run: the command stops before its first change. */
  isRehearsal?: true
}

const contexts = new AsyncLocalStorage<Readonly<CallContext>>()
const none: Readonly<CallContext> = {}

/** Returns the context of the current call; empty outside a call. */
export const currentCall = (): Readonly<CallContext> => contexts.getStore() ?? none

/** Runs work with these members added to the context of the current call. */
export const withinCall = <Result>(more: CallContext, work: () => Result): Result =>
  contexts.run({ ...currentCall(), ...more }, work)

/** Runs work, such as a job, in its own context. It inherits nothing from the call that started it. */
export const asOwnCall = <Result>(context: CallContext, work: () => Result): Result => contexts.run(context, work)
