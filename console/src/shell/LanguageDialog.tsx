import { availableLanguages } from '../i18n/available-languages'
import { setLanguage, useLanguage } from '../i18n/language'
import type { LanguageId } from '../i18n/languages'
import { useT } from '../i18n/use-t'
import { RadioCards } from '../ui/fields/RadioCards'
import { Dialog } from '../ui/overlays/Dialog'

/** Lists the languages by their native names. A choice applies immediately, without a reload. */
export default function LanguageDialog({ onClose }: { onClose: () => void }) {
  const t = useT('account')
  const language = useLanguage()
  return (
    <Dialog isOpen title={t('language.title')} onClose={onClose}>
      <RadioCards<LanguageId>
        label={t('language.label')}
        items={availableLanguages().map(({ id, name }) => ({ id, label: name }))}
        value={language.id}
        onChange={(id) => void setLanguage(id)}
      />
    </Dialog>
  )
}
