import { createContext, useContext, type ReactElement, type ReactNode } from 'react'

/** The primitives' built-in strings, stored in `common.json` as `ui.<key>`. */
export type UiTextKey =
  | 'busy'
  | 'capsLock'
  | 'chooseFile'
  | 'chooseFiles'
  | 'clear'
  | 'close'
  | 'copied'
  | 'copy'
  | 'copyFailed'
  | 'copyValue'
  | 'dropFile'
  | 'dropFiles'
  | 'errorId'
  | 'hidePassword'
  | 'loading'
  | 'meterLeft'
  | 'meterOf'
  | 'meterOver'
  | 'meterPlus'
  | 'meterUnlimited'
  | 'noMatch'
  | 'optional'
  | 'remove'
  | 'repeated'
  | 'retry'
  | 'search'
  | 'showPassword'
  | 'status.bad'
  | 'status.busy'
  | 'status.idle'
  | 'status.ok'
  | 'status.warn'

/** Returns a string, or a node if there are elements among the values. */
export interface UiText {
  (key: UiTextKey, values?: Readonly<Record<string, string | number>>): string
  (key: UiTextKey, values: Readonly<Record<string, string | number | ReactElement>>): ReactNode
}

const UiTextContext = createContext<UiText>(() => {
  throw new Error('Primitives get their words from <I18n>, which stands around the console')
})

export const UiTextProvider = UiTextContext.Provider

/** The built-in strings in the current language. For use inside ui/ only; screens use `useT`. */
export const useUiText = () => useContext(UiTextContext)
