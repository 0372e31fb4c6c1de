import { useFieldArray } from 'react-hook-form'
import { MAX_SNI_CERTIFICATES } from '@mainstay/contract/load-balancing/pools'
import { useT } from '../../../i18n/use-t'
import { TextArea } from '../../../patterns/form/form-fields'
import { useEntryFocus } from '../../../patterns/form/use-entry-focus'
import { useWatched } from '../../../patterns/form/use-watched'
import { CellNote } from '../../../patterns/table/SmallTable'
import { Button } from '../../../ui/Button'
import { IconButton } from '../../../ui/IconButton'
import { AddIcon, DeleteIcon } from '../../../ui/icons'
import css from '../load-balancing.module.css'
import { newSniCertificate, type SniForm } from './pool-form'
import { CertificateExpiry } from './CertificateExpiry'

/** Form fields to remove existing SNI certificates and to add new ones with their private keys. */
export function SniFields({ at = '' }: { at?: string }) {
  const t = useT('loadBalancing')
  const name = `${at}sni`
  const { fields, append, remove } = useFieldArray({ name, keyName: 'key' })
  const entries = useWatched<readonly SniForm[]>(name)
  const isFull = entries.length >= MAX_SNI_CERTIFICATES
  const { place, toNew, toRest } = useEntryFocus(Math.min(fields.length, entries.length))
  return (
    <fieldset className={css.headers}>
      <legend>{t('sni.title')}</legend>
      <p className={css.help}>{t('sni.help')}</p>
      <div className={css.part} ref={place}>
        {fields.map(({ key }, index) => {
          const entry = entries[index]
          const called = entry?.names || t('sni.numbered', { number: index + 1 })
          return (
            <section key={key} aria-label={called} className={css.certificate}>
              <div className={css.called}>
                <div>
                  <bdi>{called}</bdi>
                  {entry?.ends && (
                    <CellNote>
                      <CertificateExpiry at={entry.ends} />
                    </CellNote>
                  )}
                </div>
                <IconButton
                  icon={DeleteIcon}
                  label={t('sni.remove', { name: called })}
                  onPress={() => {
                    toRest()
                    remove(index)
                  }}
                />
              </div>
              {entry?.fingerprint === '' && (
                <>
                  <TextArea name={`${name}.${index}.certificate`} label={t('pools.certificate')} isMono rows={4} />
                  <TextArea
                    name={`${name}.${index}.privateKey`}
                    label={t('pools.privateKey')}
                    help={t('pools.privateKeyHelp')}
                    {...{ isMono: true, rows: 4 }}
                  />
                </>
              )}
            </section>
          )
        })}
        <div>
          <Button
            icon={AddIcon}
            disabledBecause={isFull ? t('sni.full', { most: MAX_SNI_CERTIFICATES }) : undefined}
            onPress={() => {
              toNew()
              append(newSniCertificate, { shouldFocus: false })
            }}
          >
            {t('sni.add')}
          </Button>
        </div>
      </div>
    </fieldset>
  )
}
