import type { ReactNode } from 'react'
import { useT } from '../../../../i18n/use-t'
import { AddLink } from '../../../../patterns/AddLink'
import { Page } from '../../../../patterns/Page'
import { volumeBackupResource } from '../resource'
import { PointViews } from './PointViews'

/** The page around the views of recovery points by day. */
export function PointDaysPage({ children }: { children: ReactNode }) {
  const t = useT('storage')
  const { paths, calls } = volumeBackupResource
  return (
    <Page
      title={t('backups.title')}
      actions={
        <>
          <PointViews />
          <AddLink to={paths.add()} needs={calls.create.needs}>
            {t('backups.add')}
          </AddLink>
        </>
      }
    >
      {children}
    </Page>
  )
}
