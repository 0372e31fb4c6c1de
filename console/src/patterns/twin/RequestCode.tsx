import { useT } from '../../i18n/use-t'
import { rootPath } from '../../lib/root-path'
import { useSession } from '../../session/session'
import { Tabs } from '../../ui/Tabs'
import { CodeLines } from './CodeLines'
import { commandOf } from './command'
import { curlOf } from './curl'
import type { TwinTab } from './kept-twin'
import type { ShownRequest } from './request'
import { terraformOf } from './terraform'
import css from './RequestCode.module.css'

interface RequestCodeProps {
  label: string
  requests: readonly ShownRequest[]
  tab: TwinTab
  onTab: (tab: TwinTab) => void
}

const base = () => `${location.origin}${rootPath.replace(/\/$/, '')}`

/** Requests as curl, as `mainstay` commands, and as Terraform if the cloud supports it. */
export function RequestCode({ label, requests, tab, onTab }: RequestCodeProps) {
  const t = useT('code')
  const { meta } = useSession()
  const hasTerraform = meta?.services.compute.terraform ?? false
  const shown = tab === 'terraform' && !hasTerraform ? 'curl' : tab
  const written = {
    curl: (request: ShownRequest) => curlOf(request, base()),
    command: commandOf,
    terraform: (request: ShownRequest) => terraformOf(request),
  }[shown]
  const texts = requests.map(written)
  const code = texts.filter((it) => it !== null).join('\n\n')
  const hasSecrets = requests.some(({ secrets }) => secrets.length > 0)
  return (
    <Tabs<TwinTab>
      label={label}
      items={[
        { id: 'curl', label: t('curl') },
        { id: 'command', label: t('command') },
        ...(hasTerraform ? [{ id: 'terraform', label: t('terraform') } as const] : []),
      ]}
      selected={shown}
      onChange={onTab}
    >
      {code === '' ? (
        <p className={css.note}>{t(requests.length === 0 ? 'none' : 'notIn')}</p>
      ) : (
        <CodeLines label={t(shown)}>{code}</CodeLines>
      )}
      <p className={css.note}>
        {hasSecrets ? t('secrets') : t('token')}{' '}
        <a href={`${base()}/api/v2/docs`} target="_blank" rel="noreferrer">
          {t('reference')}
        </a>
      </p>
    </Tabs>
  )
}
