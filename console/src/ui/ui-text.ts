import { createContext, useContext } from 'react'

/** The few words that primitives say by themselves. They stand in `common.json` as `ui.<key>`. */
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

export type UiText = (key: UiTextKey, values?: Readonly<Record<string, string | number>>) => string

const UiTextContext = createContext<UiText>(() => {
  throw new Error('Primitives get their words from <I18n>, which stands around the console')
})

export const UiTextProvider = UiTextContext.Provider

/** The words of a primitive in the present language. For use inside ui/ only; screens use `useT`. */
export const useUiText = () => useContext(UiTextContext)
