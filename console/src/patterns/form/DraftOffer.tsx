import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { draftHours } from '../../session/drafts'
import { Button } from '../../ui/Button'
import { Banner } from '../../ui/feedback/Banner'
import css from './DraftOffer.module.css'
import type { useForm } from './use-form'

interface DraftOfferProps {
  draft: NonNullable<ReturnType<typeof useForm>['draft']>
}

/** Offers to restore or discard an unsent draft, above the form. */
export function DraftOffer({ draft }: DraftOfferProps) {
  const t = useT('patterns')
  const format = useFormat()
  return (
    <Banner tone="busy" title={t('draft.title', { since: format.dateTime(draft.at) })}>
      <p>{t('draft.text', { hours: draftHours })}</p>
      <div className={css.buttons}>
        <Button size="small" onPress={draft.resume}>
          {t('draft.resume')}
        </Button>
        <Button size="small" variant="plain" onPress={draft.discard}>
          {t('draft.discard')}
        </Button>
      </div>
    </Banner>
  )
}
