# Tour with s3cmd, configured by $HOME/.s3cfg.
set -eu
is() { [ "$1" = "$2" ] || { echo "got $1, expected $2" >&2; exit 1; }; }
s3() { s3cmd --no-progress "$@"; }

s3 mb s3://tour-s3cmd
head -c 12000000 /dev/urandom > large
echo hello > small
s3 put --multipart-chunk-size-mb=5 large s3://tour-s3cmd/dir/large
s3 put --mime-type=text/plain --add-header=x-amz-meta-colour:blue small 's3://tour-s3cmd/dir/a name with + and ü'
s3 get s3://tour-s3cmd/dir/large back && cmp large back
is "$(s3 ls s3://tour-s3cmd/dir/ | wc -l)" 2
s3 info 's3://tour-s3cmd/dir/a name with + and ü' > info
grep -q 'File size: *6' info
grep -q 'x-amz-meta-colour: *blue' info
s3 cp s3://tour-s3cmd/dir/large s3://tour-s3cmd/copied
s3 mv s3://tour-s3cmd/copied s3://tour-s3cmd/moved
is "$(s3 du s3://tour-s3cmd/ | awk '{print $1}')" 24000006

mkdir tree && for n in 1 2 3; do echo "$n" > "tree/$n"; done
s3 sync tree/ s3://tour-s3cmd/tree/
rm tree/2 && s3 sync --delete-removed tree/ s3://tour-s3cmd/tree/
is "$(s3 ls s3://tour-s3cmd/tree/ | wc -l)" 2

cat > policy <<POLICY
{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::tour-s3cmd/tree/*"}]}
POLICY
s3 setpolicy policy s3://tour-s3cmd
is "$(curl -sf "$ENDPOINT/tour-s3cmd/tree/1")" 1
is "$(curl -s -o /dev/null -w '%{http_code}' "$ENDPOINT/tour-s3cmd/moved")" 403
s3 delpolicy s3://tour-s3cmd
curl -sf "$(s3 signurl s3://tour-s3cmd/tree/3 +60)" > signed && is "$(cat signed)" 3

s3 del --recursive --force s3://tour-s3cmd
s3 rb s3://tour-s3cmd
echo done
