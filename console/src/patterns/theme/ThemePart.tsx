import { lazy, Suspense, useState } from 'react'
import { read } from '@mainstay/contract/core/endpoint'
import { domainProperties } from '@mainstay/contract/identity/domain-properties'
import { THEME, type Theme, type themeKeys } from '@mainstay/contract/identity/themes'
import { problemText } from '../../api/problem-text'
import { useCall } from '../../api/use-call'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { toast } from '../../notices/notices'
import { confirm } from '../dialogs/confirm'
import { applyTheme } from '../../session/domain-theme'
import { useMay } from '../../session/may'
import { Button } from '../../ui/Button'
import { ErrorPanel } from '../../ui/feedback/ErrorPanel'
import { ThemePreview } from './ThemePreview'
import css from './theme.module.css'

const ThemeForm = lazy(() => import('./ThemeForm'))

interface ThemePartProps {
  domainId: string
  /** The theme for one domain, or the default for all domains without their own. */
  themeKey: (typeof themeKeys)[number]
  /** One level below the heading of the surrounding section. */
  heading: 'h2' | 'h3'
}

/** The appearance for one or all domains: preview, edit and reset. Renders nothing without read permission. */
export function ThemePart({ domainId, themeKey, heading: Heading }: ThemePartProps) {
  const t = useT('theme')
  const shell = useT('shell')
  const may = useMay()
  const [isEdited, setEdited] = useState(false)
  const list = useView(domainProperties.list, { domain_id: domainId }, { isEnabled: may(read('domain_props')) })
  const isOwn = list.data?.some(({ key }) => key === themeKey) === true
  const isThere = isOwn || (list.data !== undefined && themeKey === THEME)
  const view = useView(domainProperties.view, { domain_id: domainId, key: themeKey }, { isEnabled: isThere })
  const drop = useCall(domainProperties.delete, { refresh: [domainProperties.list, domainProperties.view] })
  const problem = list.problem ?? view.problem
  if (problem) return <ErrorPanel title={problemText(problem, shell)} onRetry={list.reload} id={problem.requestId} />
  if (!list.data || (isThere && view.isLoading)) return null
  const theme = (isThere ? view.data : {}) as Theme
  const kind = themeKey === THEME ? 'domain' : 'general'
  const reset = () =>
    void confirm({
      title: t(`theme.${kind}.resetQuestion`),
      text: t(`theme.${kind}.resetText`),
      verb: t('theme.reset'),
      isDanger: true,
      run: async (signal) => {
        await drop.run({ params: { domain_id: domainId, key: themeKey } }, { signal })
        await applyTheme()
      },
    })
  return (
    <section className={css.part} aria-label={t(`theme.${kind}.title`)}>
      <header className={css.head}>
        <Heading>{t(`theme.${kind}.title`)}</Heading>
        {isOwn && may(domainProperties.delete.needs) && <Button onPress={reset}>{t('theme.reset')}</Button>}
        {may(domainProperties.create.needs) && may(domainProperties.update.needs) && (
          <Button onPress={() => setEdited(true)}>{t('theme.change')}</Button>
        )}
      </header>
      <p className={css.note}>{t(`theme.${kind}.${isOwn ? 'own' : 'none'}`)}</p>
      <ThemePreview theme={theme} />
      <Suspense fallback={null}>
        {isEdited && (
          <ThemeForm
            domainId={domainId}
            themeKey={themeKey}
            title={t(`theme.${kind}.edit`)}
            theme={isOwn ? theme : {}}
            onClose={(isSaved) => {
              setEdited(false)
              if (!isSaved) return
              toast(t('theme.saved'))
              void applyTheme()
            }}
          />
        )}
      </Suspense>
    </section>
  )
}
