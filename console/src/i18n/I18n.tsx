import type { ReactNode } from 'react'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import { UiTextProvider } from '../ui/ui-text'
import { useLanguage } from './language'
import { useT } from './use-t'

/** Around the whole console, once: gives the primitives their language, direction and words. */
export function I18n({ children }: { children: ReactNode }) {
  const { tag } = useLanguage()
  const t = useT('common')
  return (
    <I18nProvider locale={tag}>
      <UiTextProvider value={(key, values) => t(`ui.${key}`, values)}>{children}</UiTextProvider>
    </I18nProvider>
  )
}
