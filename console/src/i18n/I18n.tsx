import type { ReactNode } from 'react'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import { UiTextProvider, type UiText, type UiTextKey } from '../ui/ui-text'
import { useLanguage } from './language'
import type { RichValues } from './message'
import { useT } from './use-t'

/** Wraps the whole console once and provides the language, direction and strings for the UI primitives. */
export function I18n({ children }: { children: ReactNode }) {
  const { tag } = useLanguage()
  const t = useT('common')
  const text = ((key: UiTextKey, values: RichValues = {}) => t(`ui.${key}`, values)) as UiText
  return (
    <I18nProvider locale={tag}>
      <UiTextProvider value={text}>{children}</UiTextProvider>
    </I18nProvider>
  )
}
