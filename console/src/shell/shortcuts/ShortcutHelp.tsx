import { useT } from '../../i18n/use-t'
import { availableLanguages } from '../../i18n/available-languages'
import type { MenuEntry } from '../../nav/known-pages'
import { Dialog } from '../../ui/overlays/Dialog'
import { Kbd } from '../../ui/values/Kbd'
import css from './ShortcutHelp.module.css'

/** Keys of each action. Keys pressed together or one after the other are listed in order. */
const keys = {
  search: ['Ctrl', 'K'],
  filter: ['/'],
  create: ['c'],
  refresh: ['r'],
  help: ['?'],
  close: ['Esc'],
} as const

/** The list of keyboard shortcuts. `places` are the pages that g followed by a key opens. */
export function ShortcutHelp({ places, onClose }: { places: readonly MenuEntry[]; onClose: () => void }) {
  const t = useT('palette')
  const shell = useT('shell')
  const hasLanguages = availableLanguages().length > 1
  const rows: [string, readonly string[]][] = [
    ...Object.entries(keys).map(([name, of]): [string, readonly string[]] => [
      t(`key.${name as keyof typeof keys}`),
      of,
    ]),
    ...(hasLanguages ? [[t('key.language'), ['Ctrl', 'L']] as [string, readonly string[]]] : []),
    ...places.map(({ label, key }): [string, readonly string[]] => [shell(label), ['g', key!]]),
  ]
  return (
    <Dialog isOpen title={t('shortcuts')} onClose={onClose}>
      <dl className={css.list}>
        {rows.map(([what, of]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {of.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className={css.note}>{t('shortcuts.note')}</p>
    </Dialog>
  )
}
