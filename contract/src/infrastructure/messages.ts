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
