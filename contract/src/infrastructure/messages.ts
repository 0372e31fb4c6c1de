export const infrastructure = {
  absolute_path: 'Enter an absolute path, such as /mnt/backup',
  backup_differs: [
    'backup_target_unavailable',
    'The stored file is not what was written. Check the storage of the place, then try again.',
  ],
  backup_folder_unmarked: [
    'backup_target_unavailable',
    'The folder {folder} does not contain the file {marker}, which was created there when the folder was chosen. If it is a share, mount it. To use the folder as it is, save the place again.',
  ],
  backup_key_ending: 'These are not the last characters of the new key',
  backup_key_replaced: ['conflict', 'A newer key has been created since. Confirm that key, or create another one.'],
  backup_not_configured: ['not_configured', 'Choose a place and create a key for management backups first'],
  backup_place: ['backup_target_unavailable', 'The place where backups are stored cannot be used: {reason}'],
  backup_running: ['conflict', 'A management backup is already being created'],
  backup_secret_missing: 'Enter the secret key for this bucket',
  impact_data_cloud: 'The storage of {engine} holds the data. How many copies it keeps is not known here.',
  impact_data_elsewhere: 'No volumes are stored here',
  impact_data_lost:
    '{never, number} of {count, plural, one {# volume} other {# volumes}} have no recovery point and are lost. {week, number} have none from the last 7 days, {day, number} none from the last 24 hours.',
  impact_data_lost_with_points:
    '{count, plural, one {# volume is} other {# volumes are}} lost with the recovery points, which are on the same disk',
  impact_data_restorable:
    '{count, plural, one {# volume goes} other {# volumes go}} back to the last recovery point. {week, number} have none from the last 7 days, {day, number} none from the last 24 hours.',
  impact_data_stays: 'Volumes stay as they are',
  impact_data_unreachable:
    '{count, plural, one {# volume cannot} other {# volumes cannot}} be used until the host is back. Nothing is lost while its disks work.',
  impact_exports_disk: 'Objects in buckets are lost',
  impact_exports_elsewhere: 'Object storage is not served from here',
  impact_exports_none: 'Object storage is not set up',
  impact_exports_stop: 'Object storage stops until this works again',
  impact_help_backup: 'Set up a management backup',
  impact_help_backup_old: 'Create a new management backup. The last one is older than 24 hours, or there is none.',
  impact_help_backup_place: 'Store management backups on another disk',
  impact_help_points: 'Create recovery points of {count, plural, one {# volume} other {# volumes}}',
  impact_help_restart:
    'Enable automatic restart for {count, plural, one {# virtual machine} other {# virtual machines}}',
  impact_help_target: 'Store recovery points on another disk',
  impact_machines_continue: 'Running virtual machines continue',
  impact_machines_disk:
    '{count, plural, one {# running virtual machine stops} other {# running virtual machines stop}} because its disks are here',
  impact_machines_none: 'No virtual machines run here',
  impact_machines_only_host:
    '{count, plural, one {# running virtual machine stops} other {# running virtual machines stop}} until the host is back. No other host can start them.',
  impact_machines_restart:
    '{count, plural, one {# running virtual machine restarts} other {# running virtual machines restart}} on other hosts',
  impact_machines_some_restart:
    '{restarted, number} of {count, number} running virtual machines restart on other hosts. The others stop until the host is back.',
  impact_machines_stop:
    '{count, plural, one {# running virtual machine stops} other {# running virtual machines stop}} until the host is back',
  impact_management_backup:
    'All records go back to the management backup, which is {hours, plural, one {# hour} other {# hours}} old',
  impact_management_lost: 'All records are lost. There is no management backup on another disk.',
  impact_management_stays: 'Management continues',
  impact_management_stops: 'Management stops until this works again',
  location_default: ['conflict', 'The default places of new nodes cannot be moved or deleted'],
  location_limit: ['conflict', 'There are already {most} locations. Delete some before you create others.'],
  location_name_taken: ['duplicate_name', 'A location with the name “{name}” already exists here'],
  location_not_empty: [
    'location_not_empty',
    '“{name}” is not empty: it contains {content}. Move or delete these first.',
  ],
  location_parent: '{domain, select, row {Specify the room of the row} other {Specify the row of the rack}}',
  location_parent_of_other:
    '{domain, select, room {A room is not in another location} row {A row is in a room, not in a row} other {A rack is in a row. Specify the row.}}',
  location_parent_unknown: [
    'not_found',
    '{domain, select, room {This room does not exist} other {This row does not exist}}',
  ],
  name_or_names: 'Specify either one name or several',
  no_such_node: ['not_found', 'There is no node with the ID {id}'],
  s3_endpoint: 'Enter the URL of the S3 endpoint, such as https://s3.example.com',
  secret_without_bucket: 'A folder has no secret key',
  too_many_names: 'Specify at most {most} names',
} as const
