import { problemText } from '../../../api/problem-text'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { CheckTrace } from '../../../patterns/CheckTrace'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { RefreshIcon } from '../../../ui/icons'
import css from './RestoreCheckList.module.css'
import type { RestoreChecks } from './use-restore-checks'

/** The requirements of a restore with their results, and how long it is expected to take. */
export function RestoreCheckList({ result }: { result: RestoreChecks }) {
  const t = useT('storage')
  const shell = useT('shell')
  const format = useFormat()
  const { checks, estimatedSeconds, isChecking, problem, checkAgain } = result
  return (
    <section className={css.parts} aria-label={t('backups.checks')}>
      <header className={css.head}>
        <h3>{t('backups.checks')}</h3>
        {!isChecking && (
          <Button variant="plain" size="small" icon={RefreshIcon} onPress={checkAgain}>
            {t('backups.checkAgain')}
          </Button>
        )}
      </header>
      {isChecking && <p role="status">{t('backups.checking')}</p>}
      {problem && (
        <Banner tone="warn" title={t('backups.checkFailed')}>
          {problemText(problem, shell)}
        </Banner>
      )}
      {checks.length > 0 && <CheckTrace label={t('backups.checks')} checks={checks} />}
      {estimatedSeconds !== null && (
        <p className={css.duration}>{t('backups.estimate', { duration: format.duration(estimatedSeconds * 1000) })}</p>
      )}
    </section>
  )
}
